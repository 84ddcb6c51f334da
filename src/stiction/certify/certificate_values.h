// The values of a certificate, said once: the text of `run`, JSON, recordings, HTML, `compare` and the tests of the
// documentation iterate this table, and so do worst() and merge(). A value that is added here is in all of them.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "stiction/certify/step_certificate.h"

namespace stiction::certify {

/// One value of StepCertificate as users see it.
struct CertificateValue {
  const char* name;                 ///< in JSON, in recordings and in docs/certificate.md
  double StepCertificate::*member;  ///< where it is
  const char* unit;                 ///< "1": dimensionless
  const char* meaning;              ///< a sentence that ends in a full stop
  bool in_worst;                    ///< it counts in worst(), which the tolerance of the certificate judges

  /// Has it no unit?
  constexpr bool dimensionless() const { return std::string_view(unit) == "1"; }
};

/// All values, in the order in which users see them.
inline constexpr std::array<CertificateValue, 7> certificate_values = {{
    {"penetration", &StepCertificate::penetration, "m", "Deepest overlap of two bodies.", false},
    {"normal", &StepCertificate::normal, "1",
     "Violation of unilateral contact: no pull, no approach beyond touch, and no force across a gap; normalised.",
     true},
    {"friction", &StepCertificate::friction, "1",
     "Residual of Coulomb's law with maximum dissipation on the round cone that the scene states; normalised.", true},
    {"cone", &StepCertificate::cone, "1",
     "Excess of the friction impulse over what the normal impulse admits; relative.", true},
    {"momentum", &StepCertificate::momentum, "1",
     "Defect of the equations of motion and of the joints' constraints; relative.", true},
    {"energy_gain", &StepCertificate::energy_gain, "J",
     "Energy that constraint impulses created in a step and no prescribed motion explains.", false},
    {"limit_violation", &StepCertificate::limit_violation, "m or rad", "How far the worst joint is past its limit.",
     false},
}};

/// Every double of a StepCertificate is a value of the table, save impact_energy, which is a sum and no violation.
static_assert(sizeof(StepCertificate) == (certificate_values.size() + 1) * sizeof(double) + sizeof(long));

/// The name in prose: "energy gain".
std::string spoken_name(const CertificateValue& value);

/// The names of the values that count in worst(), in prose: "normal, friction, cone or momentum".
std::string names_in_worst();

}  // namespace stiction::certify
