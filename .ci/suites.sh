# The parts of `.ci/run` and `.ci/nightly`: suites within their time, their sum, and the packages of the system that they need.
# Set SECONDS_MAX (the whole script, seconds) before you source this.
set -euo pipefail

REPORTS=$(mktemp -d)
trap 'rm -rf "$REPORTS"' EXIT
# Failures, said once more at the end, also of a test that passed the second time.
FAILURES="$REPORTS/failures.txt"
# Suites of random cases that ended before their number was reached.
CUT="$REPORTS/cut.txt"
touch "$CUT"
passed=0
failed=0

# suite NAME SECONDS COMMAND...: runs a suite within its time, shows what it says, and goes on whatever came of it.
suite() {
  local name=$1 seconds=$2 began=$SECONDS code=0
  shift 2
  printf '\n=== %s\n' "$name"
  timeout --kill-after=10 "$seconds" "$@" 2>&1 | sed 's/^/  /' || code=$?
  printf '=== %s: exit code %s after %s s\n' "$name" "$code" "$((SECONDS - began))"
  return "$code"
}

# count NAME PASSED FAILED CODE: a suite that ended badly without a failed test (a crash, a time-out, a type error) is one failure.
count() {
  passed=$((passed + $2))
  failed=$((failed + $3))
  if [ "$4" -eq 0 ]; then return; fi
  echo "$1: exit code $4" >> "$FAILURES"
  if [ "$3" -eq 0 ]; then failed=$((failed + 1)); fi
}

# The tests of a report that failed, a line each, with the beginning of what each said.
FAILED_TESTS='for (const file of JSON.parse(fs.readFileSync(process.argv[1])).testResults) {
  if (file.message) console.log(`  ${file.name}: ${file.message.slice(0, 500)}`);
  for (const { status, fullName, failureMessages } of file.assertionResults)
    if (status === "failed") console.log(`  ${file.name}: ${fullName}: ${failureMessages.join(" ").slice(0, 500)}`);
}'

FAILED_FILES='JSON.parse(fs.readFileSync(process.argv[1])).testResults
  .filter(({ status }) => status === "failed").map(({ name }) => name).join("\n")'
# When more files than that have a failed test, it was not bad luck.
AGAIN_FILES_MAX=6

# numbers_of REPORT: how many tests passed and failed.
numbers_of() {
  node -p 'const r = JSON.parse(fs.readFileSync(process.argv[1])); `${r.numPassedTests} ${r.numFailedTests}`' "$1"
}

# A suite is not run once more when it would end later than so many seconds after the beginning.
AGAIN_SECONDS_MAX=${AGAIN_SECONDS_MAX:-$SECONDS_MAX}

# vitest_suite NAME SECONDS COMMAND...: a suite whose command takes vitest's options. Tests of real processes can be
# unlucky: files with a failed test run once more, and the whole suite where only an error outside of any test failed it.
# What passes only then is not a failure, but is said at the end.
vitest_suite() {
  local report="$REPORTS/$1.json" code=0 numbers="0 0" files began=$SECONDS
  suite "$@" --reporter=default --reporter=json --outputFile.json="$report" || code=$?
  if [ -s "$report" ]; then numbers=$(numbers_of "$report"); fi
  if [ "$code" -ne 0 ] && [ -s "$report" ]; then
    echo "$1, the first time:" >> "$FAILURES"
    node -e "$FAILED_TESTS" "$report" >> "$FAILURES"
    mapfile -t files < <(node -p "$FAILED_FILES" "$report")
    if [ -z "${files[0]:-}" ]; then
      echo "  no test failed; an error outside of them did" >> "$FAILURES"
      if [ "$((SECONDS + SECONDS - began))" -le "$AGAIN_SECONDS_MAX" ]; then
        code=0
        suite "$1, again" "${@:2}" || code=$?
      fi
    elif [ "${#files[@]}" -le "$AGAIN_FILES_MAX" ]; then
      code=0
      suite "$1, again" "$2" npx vitest run "${files[@]}" || code=$?
      if [ "$code" -eq 0 ]; then numbers="$((${numbers% *} + ${numbers#* })) 0"; fi
    fi
  fi
  # shellcheck disable=SC2086
  count "$1" $numbers "$code"
}

# counted_suite NAME SECONDS COMMAND...: a suite that says "N passed, N failed" itself.
counted_suite() {
  local said="$REPORTS/$1.txt" code=0 numbers
  suite "$@" | tee "$said" || code=$?
  numbers=$(sed -nE 's/^ *([0-9]+) passed, ([0-9]+) failed$/\1 \2/p' "$said" | tail -n 1)
  # shellcheck disable=SC2086
  count "$1" ${numbers:-0 0} "$code"
  if [ "$code" -ne 0 ]; then grep -E '^ *(seed [0-9]+:|SURVIVED)' "$said" | head -n 10 >> "$FAILURES" || true; fi
  sed -nE "s/^ *(not (begun|decided) within .*)/$1: \\1/p" "$said" >> "$CUT"
}

# The ten slowest tests of all reports.
SLOWEST='const tests = process.argv.slice(1).flatMap((report) => JSON.parse(fs.readFileSync(report)).testResults.flatMap(({ name, assertionResults }) =>
  assertionResults.map(({ fullName, duration }) => ({ duration: duration ?? 0, text: `${path.relative(".", name)}: ${fullName}` }))));
for (const { duration, text } of tests.sort((a, b) => b.duration - a.duration).slice(0, 10))
  console.log(`  ${(duration / 1000).toFixed(0).padStart(4)} s  ${text}`);'

# The seconds of the tests of each folder, all workers together: what a run of many projects consists of.
FOLDERS='const sums = new Map();
for (const { name, startTime, endTime } of process.argv.slice(1).flatMap((report) => JSON.parse(fs.readFileSync(report)).testResults)) {
  const folder = path.relative(".", name).split(path.sep).slice(0, 2).join("/");
  sums.set(folder, (sums.get(folder) ?? 0) + endTime - startTime);
}
for (const [folder, ms] of [...sums].sort((a, b) => b[1] - a[1]).slice(0, 12))
  console.log(`  ${(ms / 1000).toFixed(0).padStart(5)} s  ${folder}`);'

# finish: what was slow, cut short or failed, and the sum of all suites. Fails where anything failed.
finish() {
  if compgen -G "$REPORTS/*.json" > /dev/null; then
    printf '\nThe slowest tests:\n'
    node -e "$SLOWEST" "$REPORTS"/*.json
    printf '\nThe folders of tests, all workers together:\n'
    node -e "$FOLDERS" "$REPORTS"/*.json
  fi
  if [ -s "$CUT" ]; then printf '\nCut short by the time:\n' && cut -c 1-300 "$CUT"; fi
  if [ -s "$FAILURES" ]; then printf '\nFailed at least once:\n' && cat "$FAILURES"; fi
  printf '\n%s s, of at most %s\n%s passed, %s failed\n' "$SECONDS" "$SECONDS_MAX" "$passed" "$failed"
  [ "$failed" -eq 0 ]
}

whole_browser_is_there() { command -v chromium || command -v chromium-browser || command -v google-chrome; }
firefox_is_there() { command -v firefox-esr || command -v firefox; }

# install_package NAME UNTESTED: installs a package of the system, or says what is not tested without it.
install_package() {
  if [ "$(id -u)" -ne 0 ] || ! command -v apt-get > /dev/null; then
    echo "$2: there is no $1, and it cannot be installed without root and apt-get."
    return
  fi
  export DEBIAN_FRONTEND=noninteractive
  if ! (apt-get update -qq && apt-get install -y -qq --no-install-recommends "$1") > "$REPORTS/apt.txt" 2>&1; then
    echo "$2: $1 could not be installed:"
    tail -n 3 "$REPORTS/apt.txt"
  fi
}

has_redis() { command -v redis-server > /dev/null; }

find_redis() {
  has_redis || install_package redis-server "Work on other machines is not tested"
}

find_sandbox() {
  command -v bwrap > /dev/null || install_package bubblewrap "The sandbox of a Worker's shell is not tested"
}

# The container's first process, which the test of it runs as the image does.
find_init() {
  command -v tini > /dev/null || install_package tini "The container is not tested"
}

find_browser() {
  if [ -z "${MIMIKIT_CHROMIUM:-}" ]; then
    command -v chromium-headless-shell > /dev/null || install_package chromium-headless-shell "The page is tested with a whole browser"
    whole_browser_is_there > /dev/null || install_package chromium "Push is not tested in a browser"
  fi
  firefox_is_there > /dev/null || [ -n "${MIMIKIT_FIREFOX:-}" ] || install_package firefox-esr "The page is not tested in Firefox"
  command -v nginx > /dev/null || install_package nginx-light "The page is not tested behind nginx"
  command -v caddy > /dev/null || install_package caddy "The page is not tested behind Caddy"
}

# Without the agent CLIs the whole proof fails: their tests are the only ones that show that they work.
find_agents() {
  node scripts/install-agents.mjs || echo "The agent CLIs could not be installed."
  # Their tests skip themselves without them.
  npm run --silent check:agents || count "agents" 0 1 1
}

# Real servers of others are tested where they can be installed within two minutes; the tests of the rest skip themselves.
find_servers() {
  SERVERS="openai litellm" timeout --kill-after=10 120 npm run --silent pretest:servers || echo "Not all real servers are tested."
}

# within PERCENT MAX: so many percent of the seconds that are left of all, MAX at most, 20 at least.
within() {
  local seconds=$(((SECONDS_MAX - SECONDS) * $1 / 100))
  if [ "$seconds" -gt "$2" ]; then seconds=$2; fi
  if [ "$seconds" -lt 20 ]; then seconds=20; fi
  echo "$seconds"
}

# ext4 without a journal creates files slowly beside removed ones. On a CI machine, spread the folders of the tests over the disk.
if [ -n "${CI:-}" ]; then chattr +T "${TMPDIR:-/tmp}" 2> /dev/null || true; fi
