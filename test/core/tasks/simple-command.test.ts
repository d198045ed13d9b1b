/** Which shell texts are one simple command, and of which the first words may be allowed for good. */
import { execFileSync } from "node:child_process";
import { isLasting, LASTING_COMMANDS } from "@mimikit/core/tasks/lasting-commands";
import { beginsWith, prefixOf, simpleCommand } from "@mimikit/core/tasks/simple-command";
import fc from "fast-check";
import { expect, test } from "vitest";

test("a program and its arguments are one simple command, quoted or not", () => {
  expect(simpleCommand("npm install lodash@4")).toEqual(["npm", "install", "lodash@4"]);
  expect(simpleCommand(" git  commit -m 'a; b | c' ")).toEqual(["git", "commit", "-m", "a; b | c"]);
  expect(simpleCommand('echo "two words"/x')).toEqual(["echo", "two words/x"]);
  expect(simpleCommand('n"p"m ci')).toEqual(["npm", "ci"]);
});

test.each([
  "npm ci; curl evil",
  "npm ci && curl evil",
  "npm ci | sh",
  "npm ci & curl evil",
  "npm ci $(curl evil)",
  "npm ci `curl evil`",
  'npm ci "$(curl evil)"',
  'npm ci "`curl evil`"',
  "npm ci\ncurl evil",
  "npm ci\rcurl evil",
  "npm ci > ~/.bashrc",
  "npm ci < /etc/passwd",
  "npm ci $HOME",
  "npm ci *",
  "npm ci ~/x",
  "npm ci {a,b}",
  "npm ci \\; curl evil",
  "npm ci # comment",
  "npm ci !x",
  "npm ci 'open",
  "PATH=. npm ci",
  "(npm ci)",
  "[ -f x ]",
  "",
  "''",
])("%j is none, so no prefix of it says anything", (text) => {
  expect(simpleCommand(text)).toBeNull();
  expect(prefixOf(text)).toBeUndefined();
  expect(beginsWith(text, ["npm", "ci"])).toBe(false);
});

test("what is taken for one simple command, a shell splits into the same words", () => {
  const piece = fc.constantFrom(
    "a",
    "-x",
    "'",
    '"',
    " ",
    "é",
    ";",
    "$",
    "|",
    "=",
    "b.c",
    "/",
    "\t",
    "*",
    "\\",
    "~",
    "#",
    "!",
    "1",
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
      const text = `printf-words ${pieces.join("")}`;
      const words = simpleCommand(text);
      if (words === null) return;
      const script = `printf-words() { for each; do printf '%s\\0' "$each"; done; }\n${text}`;
      const said = execFileSync("/bin/bash", ["-c", script], { encoding: "utf8" });
      expect(said.split("\0").slice(0, -1)).toEqual(words.slice(1));
    }),
    { numRuns: 150 },
  );
});

test("a prefix is whole words, and not a beginning of the text", () => {
  expect(beginsWith("npm install x", ["npm", "install"])).toBe(true);
  expect(beginsWith("npm  'install' x", ["npm", "install"])).toBe(true);
  expect(beginsWith("npm installer x", ["npm", "install"])).toBe(false);
  expect(beginsWith("npm", ["npm", "install"])).toBe(false);
  expect(beginsWith("npm ci", [])).toBe(false);
});

test("always is offered for the commands of one table, with its options", () => {
  expect(prefixOf("npm install lodash")).toEqual(["npm", "install"]);
  expect(prefixOf("npm install --save-dev lodash")).toEqual(["npm", "install"]);
  expect(prefixOf("git fetch --depth=1 origin")).toEqual(["git", "fetch"]);
  expect(prefixOf("cargo build --release")).toEqual(["cargo", "build"]);
  expect(prefixOf("ls -la src")).toEqual(["ls"]);
  for (const { programs, subcommands } of LASTING_COMMANDS)
    for (const program of programs)
      for (const sub of subcommands.length === 0 ? [""] : subcommands)
        expect(isLasting(prefixOf(`${program} ${sub}`) ?? []), `${program} ${sub}`).toBe(true);
});

/** Programs that run what their arguments, their input or a file says, in the spellings under which systems have them. */
const RUN_OTHERS = (
  "sh bash rbash ash mksh oksh yash zsh dash ksh ksh93 fish csh tcsh elvish nu xonsh busybox toybox env sudo sudoedit doas su runuser " +
  "pkexec run0 machinectl xargs parallel nice ionice nohup timeout time setsid stdbuf chroot unshare nsenter flock setarch linux32 i386 " +
  "x86_64 prlimit taskset chrt numactl cgexec systemd-run systemctl strace ltrace gdb lldb valgrind perf rr bwrap firejail proot fakeroot " +
  "eval exec command builtin source . trap alias ssh ssh-agent ssh-add scp sftp rsync rclone mosh docker podman nerdctl kubectl helm lxc " +
  "vagrant ansible npx pnpx bunx uvx pipx corepack find fd watch entr script expect unbuffer awk gawk mawk nawk sed perl perl5.36.0 " +
  "python python2 python3 python3.11 pypy3 ipython ruby ruby3.2 irb php php8.2 node nodejs node20 deno lua lua5.4 luajit tclsh wish " +
  "osascript pwsh powershell java jshell scala kotlin groovy clojure julia R Rscript ghci guile racket sbcl swipl erl elixir iex vim vi " +
  "nvim ed ex emacs nano less more man make gmake cmake ninja rake just task ant mvn gradle bazel meson crontab at batch tmux screen " +
  "dbus-send gio xdg-open open tar zip unzip curl wget nc ncat socat telnet ftp openssl gpg git-shell tclsh8.6 m4 gcc cc c++ clang rustc " +
  "ld.so sqlite3 psql mysql redis-cli chmod chown ln cp mv rm dd tee install mount umount kill pkill printf"
).split(" ");

test.each(RUN_OTHERS)("it is never offered for %s", (program) => {
  for (const rest of ["", " x", " run x", " -c x", " exec x", " install x"])
    expect(prefixOf(program + rest), program + rest).toBeUndefined();
});

test.each([
  "npm exec x",
  "npm x cowsay",
  "npm run build",
  "npm run-script build",
  "npm start",
  "npm init evil",
  "npm create evil",
  "npm config set script-shell /tmp/x",
  "npm install --script-shell=/tmp/x",
  "npm test -- --require ./evil.js",
  "npm",
  "pnpm dlx x",
  "pnpm exec x",
  "pnpm run x",
  "yarn dlx x",
  "yarn run x",
  "yarn x",
  "bun run x",
  "bun x x",
  "bun x.ts",
  "uv run x",
  "uv tool run x",
  "poetry run x",
  "pip3.11 install x",
  "pip --python ./evil install x",
  "pip install --config-settings x",
  "cargo run",
  "cargo install evil",
  "cargo build --config=build.rustc-wrapper",
  "go run x.go",
  "go generate",
  "go build -toolexec=/tmp/x",
  "go test -exec /tmp/x",
  "go vet -vettool=/tmp/x",
  "git config core.pager /tmp/x",
  "git -c core.pager=x log",
  "git -C /tmp log",
  "git --exec-path=/tmp status",
  "git fetch --upload-pack=/tmp/x",
  "git fetch --upload-pa /tmp/x",
  "git push --receive-pack /tmp/x",
  "git push --exec=/tmp/x",
  "git pull --upload-pack /tmp/x",
  "git log --ext-diff",
  "git diff --textconv --output=/tmp/x",
  "git rebase -x /tmp/x",
  "git bisect run x",
  "git submodule foreach x",
  "git grep -O/tmp/x y",
  "git difftool",
  "git clone x",
  "git alias-of-the-owner",
  "./npm install",
  "/usr/bin/npm install",
  "npm5 install",
])("it is never offered for %j, and a permission for its words does not cover it", (text) => {
  expect(prefixOf(text)).toBeUndefined();
  expect(beginsWith(text, text.split(" ").slice(0, 2))).toBe(false);
  expect(beginsWith(text, text.split(" ").slice(0, 1))).toBe(false);
});

test("a permission of an earlier version for a program that is not in the table holds no longer", () => {
  expect(isLasting(["python3.11"])).toBe(false);
  expect(isLasting(["git", "config"])).toBe(false);
  expect(isLasting(["npm", "install"])).toBe(true);
  expect(beginsWith("python3.11 x.py", ["python3.11"])).toBe(false);
});
