// SPDX-License-Identifier: Apache-2.0
// The rules of scheduler.md in virtual time, with the times that follow from them. The link carries 1 MB a second.
#include "tests/simulate/play.h"

using namespace arkvory;
using namespace arkvory::server;

namespace {

std::string client(const std::string& name, const std::string& size, const std::string& more = "") {
  return R"({"name":")" + name + R"(","size":")" + size + "\"" + (more.empty() ? "" : "," + more) + "}";
}

}  // namespace

TEST_CASE("S8, Exactly 7: a seat whose client left is free at the first tick at which idleSeconds are reached") {
  const auto run = [](const std::string& leave) {
    return Play("", client("a", "100MB", R"("leave":")" + leave + "\"") + "," + client("b", "1MB")).all();
  };
  CHECK(run("5s") == "0 a grant, 35 a seat-lost, 35 b grant, 36 b finish");
  CHECK(run("5.001s") == "0 a grant, 35.5 a seat-lost, 35.5 b grant, 36.5 b finish");
  CHECK(run("4.999s") == "0 a grant, 35 a seat-lost, 35 b grant, 36 b finish");
}

TEST_CASE("S8: idleSeconds is a setting") {
  const Play play(R"("idleSeconds":7.5)", client("a", "100MB", R"("leave":"5s")") + "," + client("b", "1MB"));
  CHECK(play.when("b", SimulatedEventKind::grant) == "12.5");
}

TEST_CASE("S10: a cancel frees the seat at once, and one who only waits leaves the line at once") {
  const Play play("", client("a", "100MB", R"("cancel":"2.25s")") + "," + client("b", "10MB", R"("cancel":"1s")") +
                          "," + client("c", "1MB"));
  CHECK(play.all() == "0 a grant, 1 b cancel, 2.25 a cancel, 2.25 c grant, 3.25 c finish");
}

TEST_CASE("Exactly 11: a waiting present client that leaves is gone at once") {
  const Play play("", client("a", "10MB") + "," + client("b", "10MB", R"("leave":"3s")") + "," + client("c", "1MB"));
  CHECK(play.all() == "0 a grant, 3 b no-show, 10 a finish, 10 c grant, 11 c finish");
}

TEST_CASE("S11: a poller that does not come is dropped thirty seconds and a fifth of what it was told after its time") {
  const Play play("", client("a", "100MB") + "," + client("b", "10MB", R"("mode":"poller","leave":"1s")"));
  CHECK(play.when("b", SimulatedEventKind::no_show) == "32.5");  // 2 s + 30 s + 0.4 s, at the next tick
}

TEST_CASE(
    "Exactly 1: in one instant ends and cancels come first, arrivals before any grant, and the order written counts") {
  const Play play("", client("late", "1MB", R"("arrive":"10s")") + "," + client("a", "10MB") + "," +
                          client("c", "1MB", R"("arrive":"10s")"));
  CHECK(play.all("grant finish") == "0 a grant, 10 a finish, 10 late grant, 11 late finish, 11 c grant, 12 c finish");
}

TEST_CASE("O1: smallest-first serves the smallest of all that are there") {
  const Play play(R"("strategy":"smallest-first")", client("a", "5MB") + "," + client("b", "3MB") + "," +
                                                        client("c", "1MB") + "," +
                                                        client("d", "2MB", R"("arrive":"1.5s")"));
  CHECK(play.all("grant") == "0 c grant, 1 b grant, 4 d grant, 6 a grant");
}

TEST_CASE("O1: under smallest-first one that has waited long enough goes by its arrival before smaller ones") {
  std::string clients = client("large", "500MB", R"("class":"release")");
  for (int i = 0; i < 40; ++i)
    clients += "," + client("small" + std::to_string(i), "10MB",
                            R"("class":"release","arrive":")" + std::to_string(i * 10) + "s\"");
  const Play play(R"("strategy":"smallest-first","agingMinutes":2)", clients);
  CHECK(play.when("large", SimulatedEventKind::grant) == "120");
}

TEST_CASE("O1: round-robin between the principals of a class, first come first served within one") {
  const Play play("", R"({"name":"a","count":3,"size":"1MB","principal":"anna"},{"name":"b","count":2,"size":"1MB",
    "principal":"bert","arrive":"0.5s"})");
  CHECK(play.all("grant") == "0 a-1 grant, 1 b-1 grant, 2 a-2 grant, 3 b-2 grant, 4 a-3 grant");
}

TEST_CASE("O2, O3: with equal files and all classes waiting the order is I R I B I R I G I R I B I R I") {
  std::string clients;
  for (const auto* name : {"background", "bulk", "release", "interactive"})
    clients += fmt::format(R"({}{{"name":"{}","class":"{}","count":8,"size":"1MB"}})", clients.empty() ? "" : ",",
                           std::string(name).substr(0, 2), name);
  const Play play("", clients);
  std::string order;
  for (const auto& event : play.events)
    if (event.kind == SimulatedEventKind::grant && order.size() < 30) order += play.name(event).substr(0, 2);
  CHECK(order == "inreinbuinreinbainreinbuinrein");
}

TEST_CASE("O5: the reserved seat stays free for `interactive`") {
  const Play play(
      R"("sessions":4,"reserve":1)",
      R"({"name":"b","count":5,"size":"10MB"})" + ("," + client("p", "1MB", R"("class":"interactive","arrive":"1s")")));
  CHECK(play.all("grant") == "0 b-1 grant, 0 b-2 grant, 0 b-3 grant, 1 p grant, 10 b-4 grant, 20 b-5 grant");
}

TEST_CASE("O6: ten minutes of waiting raise a class at the first tick at which they are over, to the millisecond") {
  // By its tag one of `release` is ahead of it; raised, it stands behind all twenty of them in the ring.
  const auto run = [](const std::string& first) {
    const Play play(
        R"("agingMinutes":10)",
        client("z", "2000MB", R"("class":"interactive")") +
            R"(,{"name":"r","count":20,"size":"10MB","class":"release","arrive":"1s"},)" +
            client("x", "10MB", R"("arrive":")" + first + R"(","mode":["3.5s","300s","600.9s","601.1s","601.6s"])"));
    return play.all("answer");
  };
  CHECK(run("1s") ==
        "1 x answer, 3.5 x answer 2, 300 x answer 2, 600.9 x answer 2, 601.1 x answer 21, 601.6 x answer 21");
  CHECK(run("1.001s") ==
        "1.001 x answer, 3.5 x answer 2, 300 x answer 2, 600.9 x answer 2, 601.1 x answer 2, 601.6 x answer 21");
}

TEST_CASE("O8: below its share first, and beyond it when nobody else waits") {
  const Play play(R"("sessions":2,"perPrincipal":1)",
                  R"({"name":"a","count":3,"size":"10MB","principal":"anna"},{"name":"b","size":"10MB"})");
  CHECK(play.all("grant finish") ==
        "0 a-1 grant, 0 b grant, 10 a-1 finish, 10 a-2 grant, 20 b finish, 20 a-3 grant, 30 a-2 finish, 40 a-3 finish");
}

TEST_CASE("O9: a seat held for a minute goes to a higher class, at a range border") {
  const auto run = [](const std::string& arrive, const std::string& range) {
    return Play(R"("preempt":true)", client("a", "300MB", R"("arrive":")" + arrive + R"(","range":")" + range + "\"") +
                                         "," + client("b", "5MB", R"("class":"interactive","arrive":"5s")"))
        .all();
  };
  CHECK(run("0s", "10MB") == "0 a grant, 60 a yield, 60 b grant, 65 b finish, 65 a grant, 305 a finish");
  CHECK(run("0s", "7MB") == "0 a grant, 63 a yield, 63 b grant, 68 b finish, 68 a grant, 305 a finish");
  // A millisecond short of the minute at the tick of 60 s, so it is marked at 60.5 s.
  CHECK(run("0.001s", "10MB") ==
        "0.001 a grant, 70.001 a yield, 70.001 b grant, 75.001 b finish, 75.001 a grant, "
        "305.001 a finish");
}

TEST_CASE("O9: twice at most, never without an id, and not at all where it is off") {
  const auto clients = [](const std::string& more) {
    std::string all = client("a", "1000MB", more);
    for (int i = 0; i < 5; ++i)
      all += "," + client("p" + std::to_string(i), "5MB",
                          R"("class":"interactive","arrive":")" + std::to_string(5 + 100 * i) + "s\"");
    return all;
  };
  CHECK(Play(R"("preempt":true)", clients(R"("range":"1MB")")).report.preemptions == 2);
  CHECK(Play(R"("preempt":true)", clients(R"("range":"1MB","id":false)")).report.preemptions == 0);
  CHECK(Play("", clients(R"("range":"1MB")")).report.preemptions == 0);
}

TEST_CASE("S12, Exactly 10: a seat predicted to end in 5 s counts for the marks, one that ends later does not") {
  // It ends before its time, between two ticks; q, the second in line, takes it at once only where it was marked.
  const auto granted = [](const std::string& size, const std::string& order) {
    return Play(R"("bandwidthOrder":")" + order + "\"",
                client("a", size, R"("cancel":"10.1s")") + "," +
                    client("p", "50MB", R"("arrive":"1s","mode":["3s","40s"])") + "," +
                    client("q", "50MB", R"("arrive":"2s")"),
                R"("until":"20s")")
        .when("q", SimulatedEventKind::grant);
  };
  for (const std::string order : {"oldest-first", "equal"}) {
    CAPTURE(order);
    CHECK(granted("14.9MB", order) == "10.1");
    CHECK(granted("15MB", order) == "10.1");
    CHECK(granted("15.1MB", order) == "10.5");
  }
}

TEST_CASE("Exactly 10: a seat whose client is gone sends nothing, and so does not end soon") {
  // v has 0.9 MB left at 19.2 s. a ends at 19.6 s: the two in line before q are marked for it, not q.
  const Play play(R"("sessions":2,"bandwidthOrder":"equal")",
                  client("a", "10MB") + "," + client("v", "10.5MB", R"("leave":"19.2s")") + "," +
                      client("p", "50MB", R"("arrive":"1s","mode":["3s","40s"])") + "," +
                      client("r", "50MB", R"("arrive":"2s","mode":["4s","40s"])") + "," +
                      client("q", "50MB", R"("arrive":"3s")"),
                  R"("until":"30s")");
  CHECK(play.when("a", SimulatedEventKind::finish) == "19.6");
  CHECK(play.when("q", SimulatedEventKind::grant) == "20.5");
}

TEST_CASE("S11: a ticket restores the arrival for fifteen minutes from the last answer, to the millisecond") {
  const auto answers = [](const std::string& back) {
    return Play("",
                client("z", "2000MB") + "," + client("x", "1MB", R"("mode":[")" + back + R"("],"arrive":"1s")") + "," +
                    client("y", "1MB", R"("arrive":"100s")"),
                R"("until":"930s")")
        .all("arrive no-show answer");
  };
  const std::string before = "0 z arrive, 1 x arrive, 1 x answer, 33.5 x no-show, 100 y arrive, ";
  CHECK(answers("900.999s") == before + "900.999 x answer 1");
  CHECK(answers("901s") == before + "901 x answer 1");
  CHECK(answers("901.001s") == before + "901.001 x arrive, 901.001 x answer");
}

TEST_CASE("S13: who takes less than 64 KiB/s for two minutes while others wait loses its seat at the next border") {
  const Play play(
      "", client("slow", "10MB", R"("rate":"10kB/s","range":"1MB")") + "," + client("b", "5MB", R"("arrive":"1s")"));
  CHECK(play.all() == "0 slow grant, 200 slow seat-lost, 200 b grant, 205 b finish, 205 slow grant, 1005 slow finish");
  // Exactly 64 KiB/s is enough, and so is a slow one for whom nobody waits.
  CHECK(Play("", client("a", "64MiB", R"("rate":"64KiB/s","range":"64KiB")") + "," + client("b", "5MB"))
            .all("seat-lost") == "");
  CHECK(Play("", client("slow", "10MB", R"("rate":"10kB/s","range":"1MB")")).all() == "0 slow grant, 1000 slow finish");
}

TEST_CASE("S13: time in which the link had no more for it does not count") {
  // Both have a floor of 10 kB/s; what the younger gets is that, through no fault of its own.
  const Play play(
      R"("sessions":2,"bandwidthFloor":"10kB/s")",
      client("old", "600MB") + "," + client("young", "10MB", R"("range":"100kB")") + "," + client("c", "1MB"));
  CHECK(play.all("seat-lost") == "");
}

TEST_CASE("S13: clients without an id hold half the seats at most while one with an id waits") {
  const Play play(R"("sessions":4)", R"({"name":"n","count":6,"size":"10MB","id":false,"principal":"nat"},
    {"name":"i","count":4,"size":"10MB","principal":"ids","arrive":"0s"})");
  CHECK(play.all("grant").starts_with("0 n-1 grant, 0 i-1 grant, 0 n-2 grant, 0 i-2 grant, 10 "));
}

TEST_CASE("W1: a class begins inside its window only, and what began inside is finished") {
  const Play play(R"("windows":{"bulk":[{"from":"22:00","to":"22:01"}]})",
                  client("a", "90MB") + "," + client("b", "10MB"), R"("start":"2027-01-04T21:30:00Z")");
  CHECK(play.all() == "1800 a grant, 1890 a finish, 88200 b grant, 88210 b finish");
}

TEST_CASE("W1: an hour that does not exist is skipped, one that exists twice counts twice") {
  const auto window = [](const std::string& from, const std::string& to) {
    return R"("windows":{"bulk":[{"from":")" + from + R"(","to":")" + to + R"(","zone":"Europe/Berlin"}]})";
  };
  // 02:30 is not there on that night: after 01:59:59 comes 03:00.
  CHECK(Play(window("02:30", "04:00"), client("a", "10MB"), R"("start":"2027-03-28T01:30:00+01:00")").all("grant") ==
        "1800 a grant");
  // 02:15 comes at 45 min and again at 105 min.
  CHECK(Play(window("02:15", "02:45"), client("a", "3000MB") + "," + client("b", "1MB"),
             R"("start":"2027-10-31T01:30:00+02:00")")
            .all("grant finish") == "2700 a grant, 5700 a finish, 6300 b grant, 6301 b finish");
}

TEST_CASE("W1: who begins outside gets its share of the rate while another class is there") {
  const std::string settings =
      R"("sessions":2,"bandwidthOrder":"equal","windows":{"bulk":[{"from":"22:00","to":"23:00","outsideShare":0.25}]})";
  const Play play(settings, client("b", "10MB") + "," + client("i", "15MB", R"("class":"interactive")"));
  CHECK(play.all("finish") == "20 i finish, 25 b finish");
}

TEST_CASE("E3: a newcomer is told two seconds and no position; who waits for a window is told its opening") {
  const Play play(R"("windows":{"bulk":[{"from":"01:00","to":"02:00"}]})", client("a", "10MB", R"("mode":"poller")"));
  REQUIRE(play.events.size() >= 3);
  const auto& first = play.events[1];
  CHECK(first.kind == SimulatedEventKind::answer);
  CHECK(first.answer->check_in == std::chrono::seconds(2));
  CHECK_FALSE(first.answer->position);
  const auto& second = play.events[2];
  CHECK(second.at == std::chrono::seconds(2));
  CHECK(second.answer->position == 1U);
  CHECK(second.answer->starts_in == std::chrono::seconds(3598));
  CHECK(second.answer->check_in >= std::chrono::seconds(3598));
  CHECK(second.answer->check_in <= std::chrono::seconds(3628));
}

TEST_CASE("S8, L1: who lost its seat by idling counts for ten minutes, also where nobody else is there") {
  const auto granted = [](const std::string& last) {
    return Play(R"("sessionsPerPrincipal":1)",
                client("a", "100MB", R"("principal":"anna","leave":"10s")") + "," +
                    client("b", "1MB", R"("principal":"anna","arrive":"11s","mode":[")" + last + R"("])"))
        .when("b", SimulatedEventKind::grant);
  };
  CHECK(granted("639.999s") == "never");
  CHECK(granted("640s") == "640");
}

TEST_CASE("a client with a list of times arrives as others do, and comes again at those that are still to come") {
  const Play play("", client("a", "100MB") + "," +
                          client("x", "1MB", R"("arrive":"0.9s","mode":["0.5s","0.9s","10.4s","99.9s","100.2s"])"));
  CHECK(play.all("arrive answer grant") ==
        "0 a arrive, 0 a grant, 0.9 x arrive, 0.9 x answer, 10.4 x answer 1, 99.9 x answer 1, 100.2 x grant");
}

TEST_CASE("L1: one too many for a principal is told to come back, and does") {
  const Play play(R"("sessionsPerPrincipal":2)",
                  R"({"name":"a","count":3,"size":"10MB","principal":"anna","mode":"present"})");
  CHECK(play.all("answer grant") == "0 a-1 grant, 0 a-3 answer, 10 a-2 grant, 30 a-3 grant");
}

TEST_CASE("what a client does reaches the server `network` later, and its answer takes as long") {
  const Play play("", client("a", "10MB") + "," + client("b", "1MB", R"("mode":"poller","arrive":"1s")"),
                  R"("network":"50ms")");
  CHECK(play.when("a", SimulatedEventKind::grant) == "0.05");
  CHECK(play.when("b", SimulatedEventKind::arrive) == "1.05");
  CHECK(play.when("b", SimulatedEventKind::answer, 1) == "3.15");
}

TEST_CASE("O5, Exactly 9: a seat on the move is no room for another: the reserve holds while it is claimed") {
  const Play play(R"("sessions":4,"reserve":1,"preempt":true,"bandwidthOrder":"equal")",
                  client("a", "100MB", R"("range":"60MB")") + "," + client("b", "100MB", R"("range":"60MB")") + "," +
                      client("c", "100MB", R"("range":"60MB")") + "," +
                      client("i", "15.5MB", R"("class":"interactive")") + "," +
                      client("j", "20MB", R"("class":"interactive","arrive":"1s","mode":["3s","59s","64s"])") + "," +
                      client("x", "80MB", R"("arrive":"2s")"),
                  R"("until":"70s")");
  CHECK(play.when("i", SimulatedEventKind::finish) == "62");
  CHECK(play.when("j", SimulatedEventKind::grant) == "64");
  CHECK(play.when("x", SimulatedEventKind::grant) == "never");
}

TEST_CASE("Exactly 11: one that vanishes keeps its seat for the idle time, also where another has a claim on it") {
  const Play play(R"("preempt":true)", client("b", "300MB", R"("range":"50MB","leave":"70s")") + "," +
                                           client("i", "9MB", R"("class":"interactive","arrive":"1s")"));
  CHECK(play.all() == "0 b grant, 100 b seat-lost, 100 i grant, 109 i finish");
}

TEST_CASE("O9: who yielded stands behind its head until that one has had its seat, not when it waits once more") {
  const Play play(R"("sessions":2,"preempt":true,"bandwidthOrder":"equal")",
                  client("o", "40MB", R"("class":"interactive","rate":"70kB/s","range":"100GB")") + "," +
                      client("b", "150MB", R"("mode":"poller")") + "," + client("c", "62MB") + "," +
                      client("i", "320MB", R"("class":"interactive","rate":"60kB/s","range":"100kB")"),
                  R"("until":"200s")");
  // c yields to i, i to another; then c may sit down although i waits.
  CHECK(play.when("c", SimulatedEventKind::yield) == "123.640060215");
  CHECK(play.when("i", SimulatedEventKind::grant, 1) == "123.640060215");
  CHECK(play.when("i", SimulatedEventKind::yield, 1) == "185.306726882");
  CHECK(play.when("c", SimulatedEventKind::grant, 1) == "185.5");
}

TEST_CASE("O6, O7: those whom the end of their window sends back to their own class join it by arrival") {
  // The first of a principal's sessions to join brings its place in the ring: x, though y has the older record, that of
  // e.
  const std::string background = R"("class":"background","principal":)";
  const Play play(
      R"("agingMinutes":1,"windows":{"background":[{"from":"00:00","to":"00:02"},{"from":"00:05","to":"00:06"}]})",
      client("z", "200MB") + "," + client("e", "10MB", R"("arrive":"1s","cancel":"3s")") + "," +
          client("x", "10MB", background + R"("anna","arrive":"1s")") + "," +
          client("w", "10MB", background + R"("bert","arrive":"1s","mode":["3s","50s","119s","121s"])") + "," +
          client("y", "10MB", background + R"("anna","arrive":"5s")"));
  CHECK(play.all("answer") == "1 w answer, 3 w answer 2, 50 w answer 2, 119 w answer 2, 121 w answer 2");
}
