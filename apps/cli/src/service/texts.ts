/** A service in the words of each system that can keep one running. */
import { shellWord } from "@mimikit/runtime/home/command-name";
import type { Definition } from "./definition.ts";

/** As long as `down` may take: PM2 gives each role 10 s, and what is left over is ended after that. */
const STOP_SEC_MAX = 90;
/** Between two starts of the respawner itself. */
const RESTART_SEC = 2;

/** @param user whose processes they are, of a unit of the system. */
export function systemdUnit({ madeBy, workDir, program, environment, umask }: Definition, user?: string): string {
  const variables = Object.entries(environment).map(([key, value]) => `Environment=${systemdWord(`${key}=${value}`)}`);
  return `# Made by  ${madeBy.install};  ${madeBy.uninstall}  removes it. It holds no key.
[Unit]
Description=Mimikit in ${oneLine(workDir).replaceAll("%", "%%")}
${user === undefined ? "" : "Wants=network-online.target\nAfter=network-online.target\n"}# Never given up: what fails is tried again.
StartLimitIntervalSec=0

[Service]
Type=exec
${user === undefined ? "" : `User=${user}\n`}# The colon: a $ in a path is a $.
ExecStart=${program.map((word, i) => systemdWord(i === 0 ? `:${word}` : word)).join(" ")}
${variables.join("\n")}
# What Workers make has the umask of the shell that installed this.
UMask=${umask}
Restart=always
RestartSec=${RESTART_SEC}
# The respawner alone is asked to end, and ends the others in order; what is left after that is killed.
KillMode=mixed
TimeoutStopSec=${STOP_SEC_MAX}
# A command of a Worker that takes too much memory is killed alone.
OOMPolicy=continue
# Where there is no sandbox, each command gets a control group of its own.
Delegate=yes
# The sandbox (bubblewrap) works under this one. It makes namespaces, mounts and a /proc of its own, which RestrictNamespaces,
# SystemCallFilter, PrivateUsers and all that hides a part of /proc would refuse.
NoNewPrivileges=yes

[Install]
WantedBy=${wantedBy(user !== undefined)}
`;
}

/** The target that a unit is started with. */
export const wantedBy = (isOfSystem: boolean) => (isOfSystem ? "multi-user.target" : "default.target");

/** For macOS: `~/Library/LaunchAgents/<name>.plist`. */
export function launchdPlist({ name, program, environment, umask }: Definition, home: string): string {
  const string = (text: string) => `<string>${xml(text)}</string>`;
  const variables = Object.entries(environment).map(([key, value]) => `    <key>${xml(key)}</key>${string(value)}`);
  return `<?xml version="1.0" encoding="UTF-8"?>
<!-- Untested: no release of Mimikit has been run by launchd yet. -->
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
  <key>Label</key>${string(name)}
  <key>ProgramArguments</key>
  <array>
${program.map((word) => `    ${string(word)}`).join("\n")}
  </array>
  <key>EnvironmentVariables</key>
  <dict>
${variables.join("\n")}
  </dict>
  <key>Umask</key><integer>${Number.parseInt(umask, 8)}</integer>
  <key>RunAtLoad</key><true/>
  <key>KeepAlive</key><true/>
  <key>ExitTimeOut</key><integer>${STOP_SEC_MAX}</integer>
  <key>StandardErrorPath</key>${string(`${home}/pm2/service.log`)}
</dict>
</plist>
`;
}

/** For Alpine and Gentoo: `/etc/init.d/<name>`. */
export function openRcScript({ workDir, program, environment, umask }: Definition, user: string): string {
  const [command = "", ...rest] = program;
  const variables = Object.entries(environment).map(([key, value]) => `export ${key}=${shellWord(value)}`);
  return `#!/sbin/openrc-run
# Untested: no release of Mimikit has been run by OpenRC yet.
description=${shellWord(`Mimikit in ${oneLine(workDir)}`)}
supervisor=supervise-daemon
command=${shellWord(command)}
command_args=${shellWord(rest.map(shellWord).join(" "))}
command_user=${shellWord(user)}
umask=${umask}
respawn_delay=${RESTART_SEC}
respawn_max=0
retry="SIGTERM/${STOP_SEC_MAX}"
${variables.join("\n")}

depend() {
  need localmount
  use net
}
`;
}

/** The program with its variables, for a shell. */
export function commandLine({ program, environment }: Definition): string {
  const variables = Object.entries(environment).map(([key, value]) => `${key}=${shellWord(value)}`);
  return ["env", ...variables, ...program.map(shellWord)].join(" ");
}

/** A line of `crontab -e`, where a % ends a line. */
export function crontabLine(definition: Definition): string {
  return `@reboot umask ${definition.umask}; exec ${commandLine(definition).replaceAll("%", "\\%")}`;
}

/** One word of a unit, as `man systemd.service` quotes it; a % is no specifier. */
function systemdWord(word: string): string {
  if (/^[\w@+=:,./-]+$/.test(word)) return word;
  const escaped = word
    .replace(/["\\]/g, "\\$&")
    .replace(/\p{Cc}/gu, (character) => `\\x${character.charCodeAt(0).toString(16).padStart(2, "0")}`);
  return `"${escaped.replaceAll("%", "%%")}"`;
}

function xml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

const oneLine = (text: string) => text.replace(/[\p{Cc}\\]+/gu, " ");
