// What contacts remember from step to step: everything besides State that can change a bit of a later step.
//
// A stepper reads the memory of the last step that was taken, and replaces it when it takes one: state and memory
// change together or not at all. Checkpoints save both (memory_archive.h lists every number), and a reset clears it
// with the state. Caches (orderings, factorisations, scratch) do not belong here: they must not change bits.
#pragma once

#include <array>

#include "stiction/contact/anchors.h"
#include "stiction/contact/layer_memory.h"
#include "stiction/contact/modes.h"
#include "stiction/contact/springs.h"
#include "stiction/contact/warm_starts.h"

namespace stiction::contact {

/// Whose impulses a table holds: a method may run others beside it, each with warm starts of its own.
enum class WarmStarts { method, guess, jointed, last_resort };

/// Plain data; copies are deep.
struct ContactMemory {
  Anchors anchors;                       ///< where sticking contacts stuck
  LayerMemory layers;                    ///< how far compliant layers are pressed in
  SpringTable springs;                   ///< of penalty methods
  std::array<ImpulseTable, 4> impulses;  ///< by WarmStarts
  BasisTable basis;                      ///< of pivoting solvers
  ModeMemory modes;                      ///< of event-driven motion

  ImpulseTable& impulses_of(WarmStarts whose) { return impulses[static_cast<size_t>(whose)]; }
  const ImpulseTable& impulses_of(WarmStarts whose) const { return impulses[static_cast<size_t>(whose)]; }
};

}  // namespace stiction::contact
