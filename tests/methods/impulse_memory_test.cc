// Where solvers start from: impulses by key, in frames that turn, and of the nearest contact where a key is new.
#include "stiction/methods/shared/impulse_memory.h"

#include <cmath>

#include <gtest/gtest.h>

namespace stiction::methods {
namespace {

using contact::Contact;
using Impulses = ImpulseMemory::Impulses;

constexpr std::uint64_t pair = std::uint64_t{3} << 48 | std::uint64_t{5} << 32, other_pair = pair + (1ull << 32);

Contact contact_at(std::uint64_t key, const Vector3& point, double turn = 0) {
  Contact contact;
  contact.key = key;
  contact.point = point;
  contact.tangent = Vector3(std::cos(turn), std::sin(turn), 0);  // the normal is z
  return contact;
}

StepProblem problem_of(const std::vector<Contact>& contacts) {
  StepProblem problem;
  for (const Contact& contact : contacts) {
    ContactRows rows;
    rows.key = contact.key;
    problem.contacts.push_back(rows);
  }
  return problem;
}

// What a step with these contacts and impulses leaves.
contact::ImpulseTable after_step(const std::vector<Contact>& contacts, const std::vector<Impulses>& impulses) {
  ImpulseMemory memory;
  contact::ImpulseTable last;
  memory.begin(problem_of(contacts), last, contacts);
  for (size_t c = 0; c < contacts.size(); ++c) memory.contact(static_cast<int>(c)) = impulses[c];
  memory.keep(last);
  return last;
}

TEST(ImpulseMemory, AGuessStaysPutWhileItsFrameTurns) {
  const contact::ImpulseTable last = after_step({contact_at(pair, Vector3::Zero(), 0.2)}, {{4, 1, 2, 0.5, 0.3, -0.1}});
  const std::vector<Contact> now = {contact_at(pair, Vector3::Zero(), 1.1)};
  ImpulseMemory memory;
  memory.begin(problem_of(now), last, now);
  const Impulses* guess = memory.recall_contact(0, pair);
  ASSERT_NE(guess, nullptr);
  const auto in_space = [](double t, double o, double turn) {
    return Vector2(t * std::cos(turn) - o * std::sin(turn), t * std::sin(turn) + o * std::cos(turn));
  };
  EXPECT_LT((in_space((*guess)[1], (*guess)[2], 1.1) - in_space(1, 2, 0.2)).norm(), 1e-14);
  EXPECT_LT((in_space((*guess)[4], (*guess)[5], 1.1) - in_space(0.3, -0.1, 0.2)).norm(), 1e-14);
  EXPECT_EQ((*guess)[0], 4);
  EXPECT_EQ((*guess)[3], 0.5);
}

// Two steps later in a frame that has turned by a quarter: what the second added, in the axes of the third.
TEST(ImpulseMemory, ATrendIsWhatTheLastStepAdded) {
  const std::vector<Contact> first = {contact_at(pair, Vector3::Zero(), 0)}, second = first,
                             third = {contact_at(pair, Vector3::Zero(), M_PI / 2), contact_at(other_pair, {1, 0, 0})};
  contact::ImpulseTable last = after_step(first, {{4, 1, 2, 0, 0, 0}});
  ImpulseMemory memory;
  memory.begin(problem_of(second), last, second);
  EXPECT_EQ(memory.trend(0), Impulses{});  // the contact was new in the first step
  memory.contact(0) = {5, 1.5, 2.25, 0.125, 0, 0};
  memory.keep(last);
  memory.begin(problem_of(third), last, third);
  const Impulses trend = memory.trend(0), expected = {1, 0.25, -0.5, 0.125, 0, 0};  // t is the old o, o the old -t
  for (size_t i = 0; i < trend.size(); ++i) EXPECT_NEAR(trend[i], expected[i], 1e-15) << i;
  EXPECT_EQ(memory.trend(1), Impulses{});  // it is new
}

// A step that is solved again starts from its own answer, which does not go on; what it adds counts from the step
// before.
TEST(ImpulseMemory, APassHasNoTrendAndDoesNotBreakIt) {
  const std::vector<Contact> contacts = {contact_at(pair, Vector3::Zero())};
  contact::ImpulseTable last = after_step(contacts, {{4, 0, 0, 0, 0, 0}}), last_pass;
  ImpulseMemory memory;
  memory.begin(problem_of(contacts), last, contacts);
  memory.contact(0) = {5, 0, 0, 0, 0, 0};
  memory.keep(last_pass);
  memory.begin(problem_of(contacts), last_pass, contacts, ImpulseMemory::Since::last_pass);
  EXPECT_EQ((*memory.recall_contact(0, pair))[0], 5);
  EXPECT_EQ(memory.trend(0), Impulses{});
  memory.contact(0) = {5.5, 0, 0, 0, 0, 0};
  memory.keep(last);
  memory.begin(problem_of(contacts), last, contacts);
  EXPECT_EQ(memory.trend(0)[0], 1.5);
}

// Feature 7 became 9, 8 stayed: 9 starts from 7, though 8 is nearer. Feature 10 finds nothing left.
TEST(ImpulseMemory, ANewKeyTakesOverFromTheNearestThatIsGone) {
  const contact::ImpulseTable last = after_step(
      {contact_at(pair + 7, {0, 0, 0}), contact_at(pair + 8, {1, 0, 0}), contact_at(other_pair + 7, {0.9, 0, 0})},
      {{7, 0, 0, 0, 0, 0}, {8, 0, 0, 0, 0, 0}, {77, 0, 0, 0, 0, 0}});
  const std::vector<Contact> now = {contact_at(pair + 8, {1, 0, 0}), contact_at(pair + 9, {0.9, 0, 0}),
                                    contact_at(pair + 10, {0.9, 0, 0})};
  ImpulseMemory memory;
  memory.begin(problem_of(now), last, now);
  ASSERT_NE(memory.recall_contact(0, now[0].key), nullptr);
  EXPECT_EQ((*memory.recall_contact(0, now[0].key))[0], 8);
  ASSERT_NE(memory.recall_contact(1, now[1].key), nullptr);
  EXPECT_EQ((*memory.recall_contact(1, now[1].key))[0], 7);
  EXPECT_EQ(memory.recall_contact(2, now[2].key), nullptr);
}

TEST(ImpulseMemory, OfSeveralThatAreGoneTheNearestIsTaken) {
  const contact::ImpulseTable last = after_step({contact_at(pair + 1, {0, 0, 0}), contact_at(pair + 2, {1, 0, 0})},
                                                {{1, 0, 0, 0, 0, 0}, {2, 0, 0, 0, 0, 0}});
  const std::vector<Contact> now = {contact_at(pair + 3, {0.8, 0, 0})};
  ImpulseMemory memory;
  memory.begin(problem_of(now), last, now);
  ASSERT_NE(memory.recall_contact(0, now[0].key), nullptr);
  EXPECT_EQ((*memory.recall_contact(0, now[0].key))[0], 2);
}

// Without contacts the key alone decides, and numbers stay as they are.
TEST(ImpulseMemory, WithoutContactsTheKeyDecides) {
  const contact::ImpulseTable last = after_step({contact_at(pair, Vector3::Zero(), 0.2)}, {{4, 1, 2, 0, 0, 0}});
  const std::vector<Contact> now = {contact_at(pair, Vector3::Zero(), 1.1), contact_at(pair + 1, Vector3::Zero())};
  ImpulseMemory memory;
  memory.begin(problem_of(now), last);
  ASSERT_NE(memory.recall_contact(0, pair), nullptr);
  EXPECT_EQ((*memory.recall_contact(0, pair))[1], 1);
  EXPECT_EQ(memory.recall_contact(1, pair + 1), nullptr);
}

}  // namespace
}  // namespace stiction::methods
