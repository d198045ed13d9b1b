/** The parts of Mimikit that each system does in its own way. `this-platform.ts` chooses one; callers know only this interface. */
import type { Identity } from "@mimikit/protocol/records/claim";

export interface RunningProcess extends Identity {
  /** Where the system tells no bounds between arguments, they are cut at each space. */
  args: string[];
  /** As it was at the start of the process; empty where the system keeps it to itself. */
  environment: ReadonlyMap<string, string>;
}

/** A role of a home, of which there is one. */
export interface SingletonPlace {
  /** An absolute path; the directory exists. */
  locks: string;
  /** Identifies the home, and cannot be derived by other users, who could otherwise claim the role. */
  secret: string;
  role: string;
}

export interface ControlGroup {
  /** The command line that enters the group and becomes `commandLine`. */
  entering(commandLine: readonly [string, ...string[]]): [string, ...string[]];
  /** Takes the group away, if nothing is in it any more. */
  remove(): void;
}

/** The limits of a sandboxed command. Every path is a real one. */
export interface Walls {
  /** The state directory: empty and read-only in the sandbox, or out of reach. */
  state: string;
  /** Other directories that are empty and read-only in the sandbox, or inaccessible. */
  hidden: readonly string[];
  /** Where the command runs. */
  work: string;
  /** The parts of the state directory that it sees nevertheless, outer directories first. */
  passages: readonly { path: string; isWritable: boolean }[];
  /** It can change nothing but temporary files. */
  isReadOnly: boolean;
  /** It can change nothing outside the workspace but temporary files. */
  keepsOutside: boolean;
  /** It has no network, not even this machine's own. */
  isOffline: boolean;
  /** It can change nothing in these directories, unless it works in one of them: then there, and nowhere else in it. */
  protect: readonly string[];
  /** Parts of the workspace's git repository, where it keeps outside: it can change the writable ones, and remove or rename none. git may remove an optional one before the command starts. */
  repository: readonly { path: string; isWritable: boolean; isOptional?: boolean }[];
  /** The directory that it sees as /tmp; null if it sees /tmp itself. */
  temporary: string | null;
  /** The home directory of the user, which stays where it is in a /tmp of its own. */
  userHome: string;
  /** Other directories that stay where they are there, and can be written. */
  kept: readonly string[];
  /** Where it finds, in memory, what is handed over on `secretFd`; null where nothing is. */
  secret: { path: string; fd: number } | null;
}

export interface SandboxTool {
  name: "bubblewrap" | "sandbox-exec";
  /** Where the system has it; null where it is installed, and found in PATH. */
  program: string | null;
  /** Its processes end with it, and it ends with this process. */
  holdsProcesses: boolean;
  /** Has a file in memory for a secret. */
  hidesSecrets: boolean;
  /** Shows `temporary` as /tmp. */
  hasOwnTmp: boolean;
  /** The command line that runs `command` behind `walls`. @param program the path of the tool. */
  wrap(program: string, command: readonly string[], walls: Walls): [string, ...string[]];
}

/** The activity of a process at one moment. */
export interface Activity {
  /** Processor time that it has used until now, in milliseconds: of its main thread, where the system tells that. */
  cpuMs: number;
  /** A disk keeps one of its threads waiting, or it is stopped. */
  isHeld: boolean;
  /** All its threads wait, for neither a processor nor a disk, and none is stopped; false where the system does not tell. */
  isWaiting: boolean;
}

export interface Platform {
  /** The running process `pid`: null when there is none, or when it is a zombie. Throws what the process table throws. */
  identityOf(pid: number): Identity | null;
  /** Empty where the system does not tell: then only pid and start time are compared. */
  readonly bootId: string;
  /** Every living process that this user may look into, except this one. */
  listProcesses(): Promise<RunningProcess[]>;
  /** The environment of a process as it was at its start; null where there is no such process, or the system keeps it to itself. */
  environmentOf(pid: number): ReadonlyMap<string, string> | null;
  /** Where the file is that this process has open as `fd`; null where the system does not tell. */
  openedPath(fd: number): Promise<string | null>;
  /** The path of an entry of the directory that this process has open as `fd`; null where the system has no such paths. */
  readonly entryOf: ((fd: number, name: string) => string) | null;
  /** Null if there is no such process. */
  activityOf(pid: number): Activity | null;
  /** The memory of a process in bytes; null if there is no such process. */
  residentBytes(pid: number): number | null;
  /** Tries to become the only one of a role, for as long as this process lives. @returns false when another process has it. */
  claim(place: SingletonPlace): Promise<boolean>;
  /** Has a living process claimed it? */
  isClaimed(place: SingletonPlace): Promise<boolean>;
  /** Makes the claims of this process again if they were removed. */
  claimAgain(): void;
  /** A control group for what carries `mark`; null where this process may make none. */
  makeGroup(mark: string): ControlGroup | null;
  /** Could a process make groups, this one or another of this user's? */
  mayMakeGroups(pid?: number): boolean;
  /** Takes away the empty groups that a dead process has left, of all marks that begin with `home`. */
  removeGroups(home: string): void;
  /** The mark that the group of a process says; undefined where it is in none, or is gone. */
  markInGroup(pid: number): Promise<string | undefined>;
  /** How a command is kept from the state directory; null where nothing can. */
  readonly sandbox: SandboxTool | null;
  /** The kernel's limit for the path of a socket. */
  readonly socketPathBytesMax: number;
}
