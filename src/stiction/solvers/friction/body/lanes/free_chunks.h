// How kernels of free_lanes.h go through batches, chunk by chunk; for its own files.
#pragma once

#include <type_traits>

#include "stiction/solvers/friction/body/lanes/free_lanes.h"

namespace stiction::solvers {

// Calls kernel(batch, the chunk's part, two-sided?) for the batches of a chunk.
template <class Kernel>
STICTION_INLINE void FreeLanes::go_through(int chunk, const Kernel& kernel) {
  double* part = parts_.data() + static_cast<size_t>(chunk) * part_size;
  for (int i = first_batch_[chunk], end = first_batch_[chunk + 1]; i < end; ++i) {
    batches_[i].two_sided ? kernel(i, part, std::true_type()) : kernel(i, part, std::false_type());
  }
}
template <class Kernel>
STICTION_WIDE void FreeLanes::go_through_wide(int chunk, const Kernel& kernel) {
  go_through(chunk, kernel);
}

template <class Kernel>
void FreeLanes::share_chunks(int first, int end, const Kernel& kernel) {
  for_chunks(shared_by_, end - first,
             [&](int i) { use_wide_registers ? go_through_wide(first + i, kernel) : go_through(first + i, kernel); });
}

// What goes through bodies: a colour when the one before is done.
template <class Kernel>
void FreeLanes::by_colours(const Kernel& kernel) {
  for (size_t c = 0; c + 1 < first_chunk_.size(); ++c) share_chunks(first_chunk_[c], first_chunk_[c + 1], kernel);
}

// What writes nothing of bodies.
template <class Kernel>
void FreeLanes::all_at_once(const Kernel& kernel) {
  share_chunks(0, static_cast<int>(chunks()), kernel);
}

}  // namespace stiction::solvers
