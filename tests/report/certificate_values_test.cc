// Every page and output that lists the values of a certificate has them all, by the name and unit of the one table.
#include "stiction/certify/certificate_values.h"

#include <filesystem>
#include <fstream>
#include <sstream>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stiction/report/comparison.h"
#include "support/places.h"

namespace stiction::report {
namespace {

using ::testing::AnyOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;

std::string read_page(const std::string& name) {
  std::ifstream stream(stiction::testing::source_path(name));
  std::stringstream text;
  text << stream.rdbuf();
  return text.str();
}

TEST(CertificateValues, AreAllDocumented) {
  const std::string formulas = read_page("docs/certificate.md");
  for (const certify::CertificateValue& value : certify::certificate_values) {
    const std::string quoted = fmt::format("`{}`", value.name), unit = fmt::format(" {} |", value.unit);
    EXPECT_THAT(formulas, ContainsRegex(fmt::format("\n## ([a-z_]+, )*{}", value.name))) << value.name;
    EXPECT_THAT(read_page("docs/cli.md"),
                AnyOf(HasSubstr(fmt::format("`certificate.{}`", value.name)),
                      ContainsRegex(fmt::format("`certificate[^\n]*{}[^\n]*{}", quoted, unit))))
        << value.name;
    EXPECT_THAT(read_page("docs/recording.md"),
                AnyOf(ContainsRegex(fmt::format("`/certificate/{}`[^\n]*{}", value.name, unit)),
                      ContainsRegex(fmt::format("`/certificate/[^\n]*{}[^\n]*{}", quoted, unit))))
        << value.name;
    EXPECT_THAT(read_page("README.md"), HasSubstr("| " + quoted)) << value.name;
  }
}

TEST(CertificateValues, WorstIsTheLargestOfThoseThatCount) {
  for (const certify::CertificateValue& value : certify::certificate_values) {
    certify::StepCertificate certificate;
    certificate.*value.member = 3;
    EXPECT_EQ(certificate.worst(), value.in_worst ? 3 : 0) << value.name;
    certify::StepCertificate merged;
    merged.merge(certificate);
    EXPECT_EQ(merged.*value.member, 3) << value.name;
    EXPECT_EQ(value.in_worst, value.dimensionless()) << "a tolerance has no unit: " << value.name;
  }
  EXPECT_EQ(certify::names_in_worst(), "normal, friction, cone or momentum");
}

TEST(CertificateValues, AComparisonHasAColumnForEach) {
  MethodRun run;
  run.started = true;
  run.summary.certificate.limit_violation = 0.25;
  const Table table = certificate_table(std::vector<MethodRun>{run});
  ASSERT_EQ(table.columns.size(), certify::certificate_values.size() + 2);
  ASSERT_EQ(table.rows.size(), 1U);
  EXPECT_EQ(table.columns[7].name, "limit violation");
  EXPECT_EQ(table.rows[0][7], "2.5e-01");
}

}  // namespace
}  // namespace stiction::report
