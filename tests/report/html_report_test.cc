// A trace of any length stays small and hides no violation; the report is one page that needs nothing else.
#include "stiction/report/html_report.h"

#include <gmock/gmock.h>

#include "recording/test_scenes.h"
#include "stiction/certify/certificate_values.h"

namespace stiction::report {
namespace {

using namespace recording;  // what is reported, and the scenes of its tests

using ::testing::HasSubstr;
using ::testing::Not;

SimulationSettings steps_of(long steps) {
  SimulationSettings settings;
  settings.step = 0.005;
  settings.duration = 0.005 * static_cast<double>(steps);
  return settings;
}

class Traces : public ::testing::TestWithParam<std::pair<size_t, long>> {};

TEST_P(Traces, StaySmallAndKeepTheWorst) {
  const auto [capacity, steps] = GetParam();
  Simulation simulation = make_simulation(ball_and_pendulum(), steps_of(steps));
  RunTrace trace(simulation, capacity);
  certify::StepCertificate worst;
  int most_contacts = 0;
  ASSERT_TRUE(run(simulation, [&](const StepOutcome& outcome) {
                trace.append(simulation, outcome);
                worst.merge(simulation.last_step().certificate);
                most_contacts = std::max(most_contacts, static_cast<int>(simulation.last_step().contacts.size()));
              }).ok);
  ASSERT_LE(trace.samples().size(), capacity);
  ASSERT_EQ(trace.samples().size(), trace.heights().size());
  EXPECT_GT(2 * trace.samples().size() + 2, std::min(capacity, static_cast<size_t>(steps + 1)));
  EXPECT_EQ(trace.samples().front().time, 0);
  EXPECT_EQ(trace.samples().back().time, simulation.state().time);
  certify::StepCertificate traced;
  int traced_contacts = 0;
  for (size_t k = 1; k < trace.samples().size(); ++k) {
    EXPECT_GT(trace.samples()[k].time, trace.samples()[k - 1].time);
    if (k + 1 < trace.samples().size()) {  // full samples are evenly spaced
      EXPECT_NEAR(trace.samples()[k].time,
                  0.005 * static_cast<double>(k) * static_cast<double>(trace.steps_per_sample()), 1e-9);
    }
    traced.merge(trace.samples()[k].certificate);
    traced_contacts = std::max(traced_contacts, trace.samples()[k].contacts);
  }
  EXPECT_EQ(traced.worst(), worst.worst());
  EXPECT_EQ(traced.penetration, worst.penetration);
  EXPECT_EQ(traced_contacts, most_contacts);
}

INSTANTIATE_TEST_SUITE_P(RunTrace, Traces,
                         ::testing::Values(std::pair{2, 1}, std::pair{2, 9}, std::pair{3, 50}, std::pair{8, 100},
                                           std::pair{9, 100}, std::pair{16, 15}, std::pair{16, 16},
                                           std::pair{1000, 60}));

TEST(RunTrace, HeightsAreThoseOfSimulatedBodies) {
  Simulation simulation = make_simulation(ball_and_pendulum(), steps_of(10));
  RunTrace trace(simulation);
  run(simulation, [&](const StepOutcome& outcome) { trace.append(simulation, outcome); });
  EXPECT_THAT(trace.body_names(), ::testing::ElementsAre("ball", "bob"));
  EXPECT_EQ(trace.bodies_left_out(), 0);
  EXPECT_EQ(trace.heights().front(), (std::vector<double>{1.0, 5.0}));
  EXPECT_LT(trace.heights().back()[1], 5.0);
}

TEST(HtmlReport, IsOneWholePage) {
  const TemporaryFolder folder;
  Simulation simulation = make_simulation(ball_and_pendulum(), steps_of(100));
  RunTrace trace(simulation);
  RunSummary summary = run(simulation, [&](const StepOutcome& outcome) { trace.append(simulation, outcome); });
  ASSERT_TRUE(write_report(folder.file("run.html"), simulation, summary, trace, "<ball & co>.toml"));
  const std::string page = read_text(folder.file("run.html"));
  EXPECT_THAT(page, HasSubstr("&lt;ball &amp; co&gt;.toml"));
  for (const char* word :
       {"penetration", "friction", "momentum", "Energy", "Contacts", "Height", "tolerance", "Settings"}) {
    EXPECT_THAT(page, HasSubstr(word));
  }
  for (const certify::CertificateValue& value : certify::certificate_values) {
    EXPECT_THAT(page, HasSubstr(std::string("<th scope=\"row\">") + value.name + "</th>"));
  }
  EXPECT_THAT(page, Not(HasSubstr("href")));
  EXPECT_THAT(page, Not(HasSubstr("src=")));
  EXPECT_THAT(page, Not(HasSubstr("<script")));
  // Void elements aside, the page is XML; a parser that insists on closed tags reads it.
  const PythonAnswer answer = run_python(
      "import sys, html.parser\n"
      "class P(html.parser.HTMLParser):\n"
      "    open = []\n"
      "    def handle_starttag(self, tag, attrs):\n"
      "        if tag != 'meta': self.open.append(tag)\n"
      "    def handle_endtag(self, tag):\n"
      "        assert self.open.pop() == tag, tag\n"
      "    def handle_startendtag(self, tag, attrs): pass\n"
      "p = P(); p.feed(open(sys.argv[1], encoding='utf-8').read()); assert not p.open, p.open\n",
      folder.file("run.html"), folder);
  if (std::filesystem::exists("/usr/bin/python3")) {
    EXPECT_TRUE(answer.ok) << answer.output;
  }
  summary.ok = false;
  summary.failure = "no answer";
  EXPECT_THAT(render_report(simulation, summary, trace, "x"), HasSubstr("Stopped early: no answer"));
  const auto written = write_report(folder.file("none/run.html"), simulation, summary, trace, "x");
  ASSERT_FALSE(written);
  EXPECT_FALSE(written.error().remedy.empty());
}

}  // namespace
}  // namespace stiction::report
