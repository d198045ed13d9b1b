/** The table of routes: what is not in it does not exist. Of two paths that fit, the first counts. */
import type { Route } from "./api/route.ts";
import { adoptHome, adoption } from "./routes/adoption.ts";
import { approvals, removeApproval } from "./routes/approvals.ts";
import { download, upload } from "./routes/attachments.ts";
import { audit } from "./routes/audit.ts";
import { backlog, editBacklog } from "./routes/backlog.ts";
import { changes, undo } from "./routes/changes.ts";
import { addClient, devices, signOutDevice } from "./routes/devices.ts";
import { file, taskFiles } from "./routes/files.ts";
import { health, live, ready } from "./routes/health.ts";
import { exportHistory, searchHistory } from "./routes/history.ts";
import { improvements } from "./routes/improvements.ts";
import { input } from "./routes/input.ts";
import { addMcpServer, mcpServers, removeMcpServer, testMcpServer } from "./routes/mcp.ts";
import { addMemory, editMemory, memoryFile, memoryFiles, memoryStatus, searchMemory } from "./routes/memory.ts";
import { messages, messageUsed } from "./routes/messages.ts";
import { metrics } from "./routes/metrics.ts";
import { openApi } from "./routes/openapi.ts";
import { connectProvider, forgetProviderKey, localServers, providers, testProvider } from "./routes/providers.ts";
import { answerPush, pushKey, subscribe, testPush, unsubscribe } from "./routes/push.ts";
import { answer, questions } from "./routes/questions.ts";
import { pauseQueue, resumeQueue } from "./routes/queues.ts";
import { restart } from "./routes/restart.ts";
import { patchSettings, settings } from "./routes/settings.ts";
import { addDevice, pair, signOut } from "./routes/signing-in.ts";
import { skills } from "./routes/skills.ts";
import { status } from "./routes/status.ts";
import { clear, retry, steer, steerTask, stop } from "./routes/steering.ts";
import { again, cancel, task, tasks, transcript } from "./routes/tasks.ts";
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
import { tryNow } from "./routes/try-now.ts";
import { upcoming } from "./routes/upcoming.ts";
import { usage } from "./routes/usage.ts";

export const ROUTES: readonly Route[] = [
  live,
  ready,
  health,
  pair,
  signOut,
  devices,
  addDevice,
  addClient,
  signOutDevice,
  pushKey,
  subscribe,
  unsubscribe,
  testPush,
  answerPush,
  status,
  adoption,
  adoptHome,
  usage,
  input,
  messages,
  messageUsed,
  searchHistory,
  exportHistory,
  upload,
  download,
  steer,
  stop,
  clear,
  retry,
  tasks,
  task,
  transcript,
  taskFiles,
  file,
  again,
  cancel,
  steerTask,
  pauseQueue,
  resumeQueue,
  questions,
  answer,
  approvals,
  removeApproval,
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
  editMemory,
  backlog,
  editBacklog,
  changes,
  undo,
  improvements,
  skills,
  mcpServers,
  addMcpServer,
  testMcpServer,
  removeMcpServer,
  audit,
  settings,
  patchSettings,
  providers,
  localServers,
  testProvider,
  connectProvider,
  forgetProviderKey,
  tryNow,
  restart,
  metrics,
  openApi(() => ROUTES),
];
