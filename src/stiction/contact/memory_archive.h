// Every number that contacts remember, in one order: what a checkpoint writes and reads back.
//
// visit_memory(memory, archive) walks over a ContactMemory and calls
//
//     archive.list("name", list, visit_item)      a vector: its size, then visit_item(archive, item) for each
//     archive.number(double&), archive.word(uint64&), archive.integer(int& or long&), archive.flag(bool&),
//     archive.bits(uint8&)
//
// A writing archive reads the arguments; a reading one resizes the lists and sets them. One walk serves both, so that
// what is written is what is read. A member that is added to the memory and not here fails the test of round trips.
#pragma once

#include "stiction/contact/contact_memory.h"

namespace stiction::contact {

namespace detail {

template <class Archive, class Vector>
void visit_vector(Archive& archive, Vector& v) {
  for (int i = 0; i < v.size(); ++i) archive.number(v[i]);
}

template <class Archive>
void visit_mode(Archive& archive, ContactMode& mode) {
  archive.word(mode.key);
  for (bool* flag : {&mode.closed, &mode.slips, &mode.rolls, &mode.starts, &mode.ends}) archive.flag(*flag);
  visit_vector(archive, mode.direction);
  visit_vector(archive, mode.rolling_direction);
  visit_vector(archive, mode.point);
}

template <class Archive>
void visit_modes(Archive& archive, ModeMemory& modes) {
  archive.list("contact_modes", modes.modes.contacts, [](auto& a, ContactMode& mode) { visit_mode(a, mode); });
  archive.list("scalar_modes", modes.modes.scalars, [](auto& a, ContactMode& mode) { visit_mode(a, mode); });
  archive.list("tracked_gaps", modes.tracked, [](auto& a, TrackedGap& gap) {
    a.word(gap.key);
    a.number(gap.gap);
    a.number(gap.age);
  });
  archive.list("bounces", modes.bounces, [](auto& a, BounceRow& row) {
    a.word(row.key);
    a.integer(row.count);
    a.number(row.last);
    a.number(row.interval);
    a.integer(row.step);
    a.integer(row.in_step);
  });
}

template <class Archive>
void visit_impulses(Archive& archive, ImpulseTable& table) {
  archive.list("keys", table.entries, [](auto& a, ImpulseTable::Entry& entry) {
    a.word(entry.key);
    a.integer(entry.index);
  });
  const auto visit_rows = [](auto& a, ImpulseTable::Impulses& impulses) {
    for (double& p : impulses) a.number(p);
  };
  archive.list("impulses", table.impulses, visit_rows);
  archive.list("impulse_places", table.places, [](auto& a, ImpulseTable::Place& place) {
    visit_vector(a, place.point);
    visit_vector(a, place.tangent);
  });
  archive.list("impulse_trends", table.trends, visit_rows);
  archive.list("joint_impulses", table.bilateral, [](auto& a, double& p) { a.number(p); });
}

template <class Archive>
void visit_basis(Archive& archive, BasisTable& basis) {
  archive.list("basis_keys", basis.entries, [](auto& a, BasisTable::Entry& entry) {
    a.word(entry.key);
    a.integer(entry.offset);
    a.integer(entry.count);
    a.integer(entry.index);
  });
  archive.list("basis_bits", basis.bits, [](auto& a, std::uint8_t& bits) { a.bits(bits); });
  archive.list("basis_impulses", basis.impulses, [](auto& a, BasisTable::Impulse& impulse) {
    for (double& p : impulse.rows) a.number(p);
    a.flag(impulse.slips);
  });
}

}  // namespace detail

/// See the top of the file.
template <class Archive>
void visit_memory(ContactMemory& memory, Archive& archive) {
  memory.anchors.visit(archive);
  memory.layers.visit(archive);
  archive.list("springs", memory.springs, [](auto& a, Spring& spring) {
    a.word(spring.key);
    a.flag(spring.pressed);
    detail::visit_vector(a, spring.stretch);
    a.number(spring.twist);
  });
  for (ImpulseTable& table : memory.impulses) detail::visit_impulses(archive, table);
  detail::visit_basis(archive, memory.basis);
  detail::visit_modes(archive, memory.modes);
}

}  // namespace stiction::contact
