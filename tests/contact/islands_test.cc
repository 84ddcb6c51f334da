// Islands: independent groups, joined by moving trees only, whatever the order of the rows.
#include "stiction/contact/islands.h"

#include <algorithm>
#include <random>

#include <gtest/gtest.h>

namespace stiction {
namespace {

using contact::Island;
using contact::Islands;

// A contact (kind 0), joint (1) or limit (2) between two trees; -1 is the world.
struct Link {
  int kind, a, b;
};

StepProblem problem_of(int trees, const std::vector<Link>& links) {
  StepProblem problem;
  for (int t = 0; t < trees; ++t) problem.trees.push_back({6 * t, 6, 36 * t});
  for (const Link& link : links) {
    RowBlock block;
    block.tree = link.a < 0 ? std::array<int, 2>{link.b, -1} : std::array<int, 2>{link.a, link.b};
    problem.blocks.push_back(block);
    const int index = static_cast<int>(problem.blocks.size()) - 1;
    if (link.kind == 0) problem.contacts.push_back({.block = index});
    if (link.kind == 1) problem.bilaterals.push_back({.block = index});
    if (link.kind == 2) problem.scalars.push_back({.block = index});
  }
  return problem;
}

std::vector<int> list(std::span<const int> items) {
  return {items.begin(), items.end()};
}

TEST(Islands, AWorldContactJoinsNothing) {
  Islands islands;
  islands.update(problem_of(3, {{0, -1, 0}, {0, -1, 1}, {0, -1, 2}}));
  ASSERT_EQ(islands.count(), 3);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(list(islands[i].trees), std::vector<int>{i});
    EXPECT_EQ(list(islands[i].contacts), std::vector<int>{i});
  }
}

TEST(Islands, GroupsWhatMovingTreesJoin) {
  Islands islands;
  // 0 - 3 by a contact, 3 - 4 by a joint, 1 alone with a limit, 2 without rows, 5 - 1 by a contact.
  islands.update(problem_of(6, {{0, 0, 3}, {1, 4, 3}, {2, -1, 1}, {0, -1, 4}, {0, 5, 1}, {2, -1, 4}}));
  ASSERT_EQ(islands.count(), 2);
  EXPECT_EQ(list(islands[0].trees), (std::vector<int>{0, 3, 4}));
  EXPECT_EQ(list(islands[0].contacts), (std::vector<int>{0, 1}));
  EXPECT_EQ(list(islands[0].bilaterals), (std::vector<int>{0}));
  EXPECT_EQ(list(islands[0].scalars), (std::vector<int>{1}));
  EXPECT_EQ(list(islands[1].trees), (std::vector<int>{1, 5}));
  EXPECT_EQ(list(islands[1].contacts), (std::vector<int>{2}));
  EXPECT_EQ(list(islands[1].scalars), (std::vector<int>{0}));
}

// Oracle: the transitive closure of the links by repeated sweeps.
std::vector<int> labels_by_closure(int trees, const std::vector<Link>& links) {
  std::vector<int> label(trees);
  for (int t = 0; t < trees; ++t) label[t] = t;
  for (int sweep = 0; sweep < trees; ++sweep) {
    for (const Link& link : links) {
      if (link.a < 0 || link.b < 0) continue;
      label[link.a] = label[link.b] = std::min(label[link.a], label[link.b]);
    }
  }
  return label;
}

TEST(Islands, AgreeWithTheTransitiveClosureInAnyOrderOfRows) {
  std::mt19937 random(3);
  Islands islands;  // reused, so that leftovers of a larger problem would show
  for (int round = 0; round < 200; ++round) {
    const int trees = 1 + static_cast<int>(random() % 20);
    std::vector<Link> links(random() % 25);
    for (Link& link : links) {
      link = {static_cast<int>(random() % 3), static_cast<int>(random() % (trees + 1)) - 1,
              static_cast<int>(random() % trees)};
      if (link.a == link.b) link.a = -1;
    }
    const std::vector<int> label = labels_by_closure(trees, links);
    std::vector<std::vector<int>> first;
    for (int order = 0; order < 3; ++order) {
      islands.update(problem_of(trees, links));
      std::vector<std::vector<int>> groups;
      size_t rows = 0;
      for (int i = 0; i < islands.count(); ++i) {
        const Island island = islands[i];
        groups.push_back(list(island.trees));
        rows += island.contacts.size() + island.bilaterals.size() + island.scalars.size();
        for (const int t : island.trees) EXPECT_EQ(label[t], label[island.trees[0]]);
        EXPECT_EQ(static_cast<long>(island.trees.size()),
                  std::count(label.begin(), label.end(), label[island.trees[0]]));
      }
      EXPECT_EQ(rows, links.size());
      if (order == 0) first = groups;
      EXPECT_EQ(groups, first);
      std::shuffle(links.begin(), links.end(), random);
    }
  }
}

}  // namespace
}  // namespace stiction
