// How wide an island of free_lanes.h is: bodies by their distance from one end.
#include <algorithm>

#include "stiction/solvers/friction/body/lanes/free_contact.h"
#include "stiction/solvers/friction/body/lanes/free_lanes.h"

namespace stiction::solvers {

// The bodies that each body touches.
void FreeLanes::list_neighbours() {
  const auto for_each_pair = [&](auto&& visit) {
    for (const LaneBatch& batch : batches_) {
      for (int lane = 0; lane < batch.pairs && batch.two_sided; ++lane) {
        const int a = batch.place[0][lane] / lane::body_width, b = batch.place[1][lane] / lane::body_width;
        visit(a, b), visit(b, a);
      }
    }
  };
  front_.first.assign(bodies_.size() + 2, 0);
  for_each_pair([&](int from, int) { ++front_.first[from + 2]; });
  for (size_t i = 2; i < front_.first.size(); ++i) front_.first[i] += front_.first[i - 1];
  front_.neighbours.resize(front_.first.back());
  for_each_pair([&](int from, int to) { front_.neighbours[front_.first[from + 1]++] = to; });
}

// The distance of every body from one of them, which is reached by all; returns the last in the queue.
int FreeLanes::spread_from(int body) {
  front_.distance.assign(bodies_.size(), -1);
  front_.queue.clear();
  front_.queue.push_back(body);
  front_.distance[body] = 0;
  for (size_t next = 0; next < front_.queue.size(); ++next) {
    const int from = front_.queue[next];
    for (int i = front_.first[from]; i < front_.first[from + 1]; ++i) {
      const int to = front_.neighbours[i];
      if (front_.distance[to] >= 0) continue;
      front_.distance[to] = front_.distance[from] + 1;
      front_.queue.push_back(to);
    }
  }
  return front_.queue.back();
}

double FreeLanes::elimination_work() {
  constexpr double block = lane::width * lane::width * lane::width;
  if (bodies_.empty() || slot_.empty()) return 0;
  list_neighbours();
  spread_from(spread_from(0));
  double work = 0, before = 0;
  for (size_t i = 0; i < front_.queue.size();) {
    const int distance = front_.distance[front_.queue[i]];
    double wide = 0;
    for (; i < front_.queue.size() && front_.distance[front_.queue[i]] == distance; ++i) ++wide;
    work += wide * wide * (wide / 3 + before) * block;
    before = wide;
  }
  return work / static_cast<double>(slot_.size());
}

}  // namespace stiction::solvers
