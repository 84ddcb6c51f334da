#include "stiction/certify/certificate_values.h"

#include <algorithm>
#include <vector>

namespace stiction::certify {

std::string spoken_name(const CertificateValue& value) {
  std::string name = value.name;
  std::replace(name.begin(), name.end(), '_', ' ');
  return name;
}

std::string names_in_worst() {
  std::vector<std::string> names;
  for (const CertificateValue& value : certificate_values) {
    if (value.in_worst) names.push_back(spoken_name(value));
  }
  std::string text = names.front();
  for (size_t i = 1; i < names.size(); ++i) text += (i + 1 < names.size() ? ", " : " or ") + names[i];
  return text;
}

double StepCertificate::worst() const {
  double largest = 0;
  for (const CertificateValue& value : certificate_values) {
    if (value.in_worst) largest = std::max(largest, this->*value.member);
  }
  return largest;
}

void StepCertificate::merge(const StepCertificate& other) {
  for (const CertificateValue& value : certificate_values) {
    this->*value.member = std::max(this->*value.member, other.*value.member);
  }
  impacts += other.impacts;
  impact_energy += other.impact_energy;
}

}  // namespace stiction::certify
