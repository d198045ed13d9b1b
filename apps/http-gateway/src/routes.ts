/** The table of routes: what is not in it does not exist. Of two paths that fit, the first counts. */
import type { Route } from "./api/route.ts";
import { adoptHome, adoption } from "./routes/adoption.ts";
import { download, upload } from "./routes/attachments.ts";
import { audit } from "./routes/audit.ts";
import { backlog, editBacklog } from "./routes/backlog.ts";
import { changes, undo } from "./routes/changes.ts";
import { health } from "./routes/health.ts";
import { searchHistory } from "./routes/history.ts";
import { improvements } from "./routes/improvements.ts";
import { input } from "./routes/input.ts";
import { addMemory, memoryFile, memoryFiles, memoryStatus, searchMemory } from "./routes/memory.ts";
import { messages } from "./routes/messages.ts";
import { metrics } from "./routes/metrics.ts";
import { openApi } from "./routes/openapi.ts";
import { answer, questions } from "./routes/questions.ts";
import { restart } from "./routes/restart.ts";
import { patchSettings, settings } from "./routes/settings.ts";
import { pair, signOut } from "./routes/signing-in.ts";
import { skills } from "./routes/skills.ts";
import { status } from "./routes/status.ts";
import { clear, steer, steerTask, stop } from "./routes/steering.ts";
import { cancel, task, tasks } from "./routes/tasks.ts";
import {
  deleteTrigger,
  explain,
  patchTrigger,
  putTrigger,
  runTrigger,
  simulate,
  trigger,
  triggers,
} from "./routes/triggers.ts";
import { upcoming } from "./routes/upcoming.ts";
import { usage } from "./routes/usage.ts";

export const ROUTES: readonly Route[] = [
  health,
  pair,
  signOut,
  status,
  adoption,
  adoptHome,
  usage,
  input,
  messages,
  searchHistory,
  upload,
  download,
  steer,
  stop,
  clear,
  tasks,
  task,
  cancel,
  steerTask,
  questions,
  answer,
  triggers,
  putTrigger,
  simulate,
  upcoming,
  trigger,
  patchTrigger,
  deleteTrigger,
  runTrigger,
  explain,
  searchMemory,
  memoryStatus,
  memoryFiles,
  memoryFile,
  addMemory,
  backlog,
  editBacklog,
  changes,
  undo,
  improvements,
  skills,
  audit,
  settings,
  patchSettings,
  restart,
  metrics,
  openApi(() => ROUTES),
];
