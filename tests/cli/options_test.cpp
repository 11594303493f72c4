// SPDX-License-Identifier: Apache-2.0
#include "cli/options.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <initializer_list>

#include "cli/general_help.h"
#include "cli/option_values.h"
#include "core/base/size.h"

namespace arkvory::cli {

namespace {

using namespace std::chrono_literals;

Result<CommandLine> parse(std::initializer_list<std::string> arguments) {
  return parse_arguments(std::vector<std::string>(arguments));
}

// A command line that must be right, as the command it is.
template <typename Kind>
Kind parsed(std::initializer_list<std::string> arguments) {
  const auto line = parse(arguments);
  if (!line) FAIL(line.error().text());
  REQUIRE(std::holds_alternative<Kind>(line->command));
  return std::get<Kind>(line->command);
}

std::string refused(std::initializer_list<std::string> arguments) {
  const auto line = parse(arguments);
  REQUIRE(!line);
  CHECK(line.error().fault == Fault::usage);
  CHECK(line.error().words.find('\n') == std::string::npos);
  return line.error().words;
}

const std::string kUrl = "http://example.org/a";
const std::string kHex(64, 'a');

}  // namespace

TEST_CASE("download has the defaults of client.md") {
  const auto command = parsed<DownloadCommand>({"download", kUrl});
  REQUIRE(command.urls.size() == 1);
  CHECK(command.urls[0].text() == kUrl);
  CHECK(command.shape == Shape{});
  CHECK(command.shape.connections == 4);
  CHECK(command.shape.range_size == 8 * kMiB);
  CHECK(command.run.jobs == 2);
  CHECK(command.resume);
  CHECK(!command.force);
  CHECK(!command.run.view.json);
}

TEST_CASE("a list takes the place of URLs, or follows them") {
  const auto command = parsed<DownloadCommand>({"download", "-i", "-", "--base-url", "https://u@h/d", kUrl});
  CHECK(command.list == "-");
  CHECK(command.base_url->text() == "https://h/d");
  CHECK(command.urls.size() == 1);
  CHECK(parsed<DownloadCommand>({"download", "--input", "list"}).urls.empty());
  CHECK(parsed<DownloadCommand>({"download", "--checksums", "f", kUrl, kUrl}).checksums == "f");
  CHECK(parsed<DownloadCommand>({"download", "-o", "-", kUrl}).to_standard_output());
  CHECK(!parsed<DownloadCommand>({"download", "-o", "./-", kUrl}).to_standard_output());
}

TEST_CASE("what a list excludes is said") {
  CHECK(refused({"download", "-i", "l", "-o", "f"}).find("-o") != std::string::npos);
  CHECK(refused({"download", "-i", "l", "--sha256", kHex}).find("--sha256") != std::string::npos);
  CHECK(refused({"download", "-i", "l", "--checksums", "f"}).find("--checksums") != std::string::npos);
  CHECK(refused({"download", "--base-url", "https://h/", kUrl}).find("-i") != std::string::npos);
  CHECK(refused({"download", "-i", "l", "--base-url", "https://h/?a=b"}).find("query") != std::string::npos);
  CHECK(refused({"download", "-i", "l", "--base-url", "d/"}).find("--base-url") != std::string::npos);
  CHECK(refused({"download", "--sha256", kHex, "--checksums", "f", kUrl}).find("--checksums") != std::string::npos);
  CHECK(refused({"download", "--limit-rate", "0", kUrl}).find("--limit-rate") != std::string::npos);
}

TEST_CASE("every option of download reaches its place") {
  const auto line = parse({"download",
                           "-d",
                           "dir",
                           "--sha256",
                           kHex,
                           "--class",
                           "bulk",
                           "-c",
                           "16",
                           "--range-size",
                           "1MiB",
                           "--max-retries",
                           "0",
                           "--max-attempts",
                           "3",
                           "--connect-timeout",
                           "5s",
                           "--stall-timeout",
                           "1m30s",
                           "--max-size",
                           "2GB",
                           "--remote-time",
                           "--raw",
                           "--limit-rate",
                           "2MB/s",
                           "--dry-run",
                           "--wait-lock",
                           "--no-resume",
                           "--force",
                           "-j",
                           "7",
                           "--keep-going",
                           "-H",
                           "Accept: a/b",
                           "--header",
                           "@head",
                           "--token-file",
                           "tok",
                           "--netrc",
                           "--cacert",
                           "ca",
                           "--cert",
                           "cert",
                           "--key",
                           "key",
                           "--proxy",
                           "http://p:1",
                           "--insecure",
                           "--progress",
                           "plain",
                           "--json",
                           "-q",
                           "-vv",
                           "--color",
                           "never",
                           "--state-dir",
                           "st",
                           kUrl});
  if (!line) FAIL(line.error().text());
  CHECK(line->state_folder == "st");
  const auto& command = std::get<DownloadCommand>(line->command);
  CHECK(command.folder == "dir");
  CHECK(command.shape.sha256->to_hex() == kHex);
  CHECK(command.shape.download_class == "bulk");
  CHECK(command.shape.connections == 16);
  CHECK(command.shape.range_size == kMiB);
  CHECK(command.shape.max_retries == 0);
  CHECK(command.shape.max_attempts == 3);
  CHECK(command.shape.connect_timeout == 5s);
  CHECK(command.shape.stall_timeout == 90s);
  CHECK(command.shape.max_size == 2'000'000'000);
  CHECK(command.shape.remote_time);
  CHECK(command.shape.raw);
  CHECK(command.shape.limit_rate == 2'000'000);
  CHECK(command.dry_run);
  CHECK(command.wait_lock);
  CHECK(!command.resume);
  CHECK(command.force);
  CHECK(command.run.jobs == 7);
  CHECK(command.run.keep_going);
  CHECK(command.run.credentials.headers.first("accept") == "a/b");
  CHECK(command.run.credentials.header_files == std::vector<std::filesystem::path>{"head"});
  CHECK(command.run.credentials.token_file == "tok");
  CHECK(command.run.credentials.use_netrc);
  CHECK(command.run.network.ca_file == "ca");
  CHECK(command.run.network.certificate == "cert");
  CHECK(command.run.network.key == "key");
  CHECK(command.run.network.proxy == "http://p:1");
  CHECK(command.run.network.insecure);
  CHECK(command.run.view.progress == ProgressChoice::plain);
  CHECK(command.run.view.json);
  CHECK(command.run.view.quiet);
  CHECK(command.run.view.verbose == 2);
  CHECK(command.run.view.color == ColorChoice::never);
}

TEST_CASE("of an option given twice the last one wins, of headers all count") {
  const auto command = parsed<DownloadCommand>(
      {"download", "-c", "2", kUrl, "--connections=3", "-o", "a", "-o", "b", "-H", "A: 1", "-H", "B: 2", "-q", "-q"});
  CHECK(command.shape.connections == 3);
  CHECK(command.output == "b");
  CHECK(command.run.credentials.headers.fields().size() == 2);
  CHECK(command.run.view.quiet);
}

TEST_CASE("options stand anywhere, and -- ends them") {
  CHECK(parsed<DownloadCommand>({"download", kUrl, "-q"}).run.view.quiet);
  CHECK(parsed<DownloadCommand>({"download", "-qvc2", kUrl}).shape.connections == 2);
  const auto command = parsed<ResumeCommand>({"resume", "-q", "--", "--all", "-x", "--", "[a]"});
  CHECK(command.targets == std::vector<std::string>{"--all", "-x", "--", "[a]"});
  CHECK(!command.all);
  CHECK(parsed<CancelCommand>({"cancel", "[one,two]", "list"}).targets ==
        std::vector<std::string>{"[one,two]", "list"});
}

TEST_CASE("numbers are decimal and in range, and nothing else") {
  for (const auto* text : {"010", "0x8", "+8", "-1", " 8", "8 ", "8.0", "17", "0", "", "a", "99999999999999999999"})
    CHECK(!number_from(text, 1, 16));
  CHECK(number_from("0", 0, 16) == 0U);
  CHECK(number_from("16", 1, 16) == 16U);
  CHECK(refused({"download", "-c", "010", kUrl}) ==
        "download: option -c/--connections: '010' is not a whole number from 1 to 16");
  CHECK(refused({"download", "-c", "0x8", kUrl}).find("0x8") != std::string::npos);
  CHECK(refused({"download", "-j", "0", kUrl}).find("-j/--jobs") != std::string::npos);
}

TEST_CASE("a value that is none is refused by naming the option and the value") {
  CHECK(refused({"download", "--range-size", "1KiB", kUrl}).find("--range-size: '1KiB' is less than 64KiB") !=
        std::string::npos);
  CHECK(refused({"download", "--range-size", "big", kUrl}).find("'big'") != std::string::npos);
  CHECK(refused({"download", "--stall-timeout", "soon", kUrl}).find("--stall-timeout: 'soon'") != std::string::npos);
  CHECK(refused({"download", "--stall-timeout", "0s", kUrl}).find("--stall-timeout") != std::string::npos);
  CHECK(refused({"download", "--max-size", "-1", kUrl}).find("--max-size") != std::string::npos);
  CHECK(refused({"download", "--sha256", "abc", kUrl}).find("--sha256: 'abc' is not 64 hexadecimal digits") !=
        std::string::npos);
  CHECK(refused({"download", "--progress", "fancy", kUrl}).find("'fancy'") != std::string::npos);
  CHECK(refused({"download", "--color", "red", kUrl}).find("'red'") != std::string::npos);
  CHECK(refused({"download", "--class", "a b", kUrl}).find("--class") != std::string::npos);
  CHECK(refused({"download", "-o", "", kUrl}).find("-o/--output") != std::string::npos);
  CHECK(refused({"verify", "--sha256", kHex + "a", "f"}).find("--sha256") != std::string::npos);
}

TEST_CASE("an option without its value is refused, and takes no other's") {
  CHECK(refused({"download", "--sha256=", kUrl}) == "download: --sha256 has no value");
  CHECK(refused({"download", kUrl, "-o"}).find("--output") != std::string::npos);
  CHECK(refused({"download", "--quiet=false", kUrl}) == "download: --quiet takes no value");
}

TEST_CASE("an unknown option gets one suggestion, and none where none is near") {
  CHECK(refused({"download", "--conections", "3", kUrl}) ==
        "download: unknown option --conections; did you mean --connections?");
  CHECK(refused({"download", "--sha265=x", kUrl}) == "download: unknown option --sha265; did you mean --sha256?");
  CHECK(refused({"download", "-Z", kUrl}) == "download: unknown option -Z");
  CHECK(refused({"list", "--frobnicate"}) == "list: unknown option --frobnicate");
}

TEST_CASE("long options are not abbreviated") {
  CHECK(refused({"download", "--out", "x", kUrl}).find("unknown option --out") != std::string::npos);
  CHECK(refused({"download", "--connect", "3", kUrl}).find("unknown option --connect") != std::string::npos);
}

TEST_CASE("windows and the wait limit are taken as given, and refused where they are none") {
  const auto command = parsed<DownloadCommand>(
      {"download", "--not-before", "22:30", "--not-after", "+9h", "--wait-limit", "1h30m", kUrl});
  CHECK(command.not_before == "22:30");
  CHECK(command.not_after == "+9h");
  CHECK(command.shape.wait_limit == 90min);
  CHECK(parsed<DownloadCommand>({"download", "--wait-limit", "0", kUrl}).shape.wait_limit == 0s);
  for (const auto* option : {"--not-before", "--not-after"})
    for (const auto* moment : {"7:30", "24:00", "tomorrow", "+", "-1h", "2027-03-27", "2027-02-30T00:00:00Z"})
      CHECK(refused({"download", std::string(option) + "=" + moment, kUrl}).find(option) != std::string::npos);
  CHECK(refused({"download", "--wait-limit", "long", kUrl}).find("--wait-limit") != std::string::npos);
}

TEST_CASE("an option of a later day is unknown today") {
  for (const auto* option : {"--mirror", "--recursive", "--daemon"})
    CHECK(refused({"download", option, "1", kUrl}).find("unknown option") != std::string::npos);
}

TEST_CASE("an unknown command gets one suggestion") {
  CHECK(refused({"downlaod", kUrl}) == "unknown command 'downlaod'; did you mean download?");
  CHECK(refused({"frobnicate"}) == "unknown command 'frobnicate'; arkvoryctl --help shows them");
  CHECK(refused({"--json", "list"}).find("'--json'") != std::string::npos);
  CHECK(refused({"help", "resum"}).find("did you mean resume?") != std::string::npos);
  CHECK(refused({""}).find("unknown command") != std::string::npos);
}

TEST_CASE("a bad URL is refused by name, and its password is not shown") {
  CHECK(refused({"download", "ftp://example.org/a"}).find("ftp://example.org/a") != std::string::npos);
  CHECK(refused({"download", kUrl, "not-a-url"}).find("not-a-url") != std::string::npos);
  CHECK(refused({"download", "ftp://user:secret@example.org/a"}).find("secret") == std::string::npos);
  CHECK(refused({"download"}).find("no URL") != std::string::npos);
}

TEST_CASE("what is meant for one file is refused for several") {
  CHECK(refused({"download", "-o", "f", kUrl, kUrl}).find("-o") != std::string::npos);
  CHECK(refused({"download", "--sha256", kHex, kUrl, kUrl}).find("--sha256") != std::string::npos);
  CHECK(refused({"download", "-o", "f", "-d", "g", kUrl}).find("-d") != std::string::npos);
  CHECK(refused({"download", "-o", "-", "--json", kUrl}).find("-o -") != std::string::npos);
  CHECK(refused({"verify", "--sha256", kHex, "a", "b"}).find("--sha256") != std::string::npos);
}

TEST_CASE("resume takes targets or --all, and no option that shapes a download") {
  CHECK(parsed<ResumeCommand>({"resume", "--all", "--token-file", "t"}).run.credentials.token_file == "t");
  CHECK(parsed<ResumeCommand>({"resume", "a", "b"}).targets.size() == 2);
  CHECK(refused({"resume"}).find("no target") != std::string::npos);
  CHECK(refused({"resume", "--all", "a"}).find("--all") != std::string::npos);
  CHECK(refused({"resume", "--sha256", kHex, "a"}).find("unknown option --sha256") != std::string::npos);
}

TEST_CASE("list, cancel and verify take what they need") {
  CHECK(parsed<ListCommand>({"list", "--json"}).json);
  CHECK(refused({"list", "x"}).find("'x'") != std::string::npos);
  CHECK(parsed<CancelCommand>({"cancel", "--yes", "a"}).yes);
  CHECK(refused({"cancel"}).find("no target") != std::string::npos);
  CHECK(parsed<VerifyCommand>({"verify", "--sha256", kHex, "a"}).sha256->to_hex() == kHex);
  CHECK(refused({"verify"}).find("no target") != std::string::npos);
}

TEST_CASE("help is text for standard output, whatever else is said") {
  CHECK(parsed<HelpCommand>({"--help"}).text == general_help());
  CHECK(parsed<HelpCommand>({"-h", "x"}).text == general_help());
  CHECK(parsed<HelpCommand>({"help"}).text == general_help());
  for (const std::string verb : {"download", "resume", "list", "cancel", "verify"}) {
    const auto text = parsed<HelpCommand>({"help", verb}).text;
    CHECK(text.find("arkvoryctl " + verb) != std::string::npos);
    CHECK(text == parsed<HelpCommand>({verb, "--help"}).text);
    CHECK(general_help().find(verb) != std::string::npos);
  }
  CHECK(parsed<HelpCommand>({"download", "--help", "--frobnicate"}).text.find("--connections") != std::string::npos);
  parsed<VersionCommand>({"--version"});
}

TEST_CASE("a header is NAME: VALUE, and none that the program must say itself") {
  const auto field = header_from("Accept:  text/plain ");
  REQUIRE(field);
  CHECK(field->name == "Accept");
  CHECK(field->value == "text/plain");
  CHECK(header_from("X-Empty:")->value.empty());
  for (const auto* text :
       {"Accept", ": x", "A B: x", "A:\x01", "A: x\r\nB: y", "Range: bytes=0-1", "accept-encoding: gzip",
        "arkvory-queue-ticket: t", "If-Range: \"a\"", "Content-Length: 1"}) {
    CAPTURE(text);
    CHECK(!header_from(text));
  }
}

TEST_CASE("a refused header's value is not shown") {
  CHECK(refused({"download", "-H", "Range: secret", kUrl}).find("secret") == std::string::npos);
  CHECK(refused({"download", "-H", "no-colon-secret", kUrl}).find("secret") == std::string::npos);
  CHECK(refused({"download", "-H", "A: secret\x02", kUrl}).find("secret") == std::string::npos);
}

}  // namespace arkvory::cli
