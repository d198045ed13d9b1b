/** Small exports of other assistants, in the formats that they have. Their content is made up. */
import { makeZip, type ZipFile } from "./make-zip.ts";

const at = (iso: string) => Date.parse(iso) / 1_000;

const node = (
  id: string,
  parent: string | null,
  role: string,
  parts: unknown[],
  time: number | null,
  more: object = {},
) => ({
  id,
  parent,
  children: [],
  message: {
    id,
    author: { role, name: null, metadata: {} },
    create_time: time,
    content: { content_type: "text", parts },
    recipient: "all",
    metadata: {},
    ...more,
  },
});

/** A conversation with a question that was asked twice, a call of a tool, and a picture. */
export const TALK_ABOUT_TOMATOES = {
  id: "c-tomato",
  conversation_id: "c-tomato",
  title: "Tomatoes on the balcony",
  create_time: at("2024-05-01T08:00:00Z"),
  update_time: at("2024-05-01T08:10:00Z"),
  current_node: "n7",
  mapping: {
    root: { id: "root", message: null, parent: null, children: ["n1"] },
    n1: node("n1", "root", "system", [""], null, {
      metadata: {
        is_visually_hidden_from_conversation: true,
        is_user_system_message: true,
        user_context_message_data: {
          about_user_message: "Grows vegetables in pots.",
          about_model_message: "Be brief.",
        },
      },
    }),
    n2: node("n2", "n1", "user", ["Which tomato is good for pots?"], at("2024-05-01T08:00:01Z")),
    n3: node("n3", "n2", "assistant", ["An abandoned answer about marrows."], at("2024-05-01T08:00:02Z")),
    n4: node("n4", "n2", "assistant", ["search('tomato pots')"], at("2024-05-01T08:00:03Z"), { recipient: "browser" }),
    n5: node("n5", "n4", "tool", ["a long page"], at("2024-05-01T08:00:04Z")),
    n6: node(
      "n6",
      "n5",
      "assistant",
      ["Take a bush variety like Vilma; it stays below half a metre."],
      at("2024-05-01T08:00:05Z"),
    ),
    n7: node(
      "n7",
      "n6",
      "user",
      [{ content_type: "image_asset_pointer", asset_pointer: "file-service://x" }, "Like this one?"],
      at("2024-05-02T09:00:00Z"),
      {
        content: {
          content_type: "multimodal_text",
          parts: [{ content_type: "image_asset_pointer", asset_pointer: "file-service://x" }, "Like this one?"],
        },
      },
    ),
  },
};

export const TALK_ABOUT_BOILERS = {
  id: "c-boiler",
  title: "Boiler pressure",
  create_time: at("2025-01-10T20:00:00Z"),
  current_node: "b2",
  mapping: {
    b1: node("b1", null, "user", ["The boiler shows 0.6 bar."], at("2025-01-10T20:00:00Z")),
    b2: node("b2", "b1", "assistant", ["Fill it up to 1.5 bar when it is cold."], at("2025-01-10T20:00:09Z")),
  },
};

export function chatGptExport(talks: readonly unknown[] = [TALK_ABOUT_TOMATOES, TALK_ABOUT_BOILERS]): Buffer {
  return makeZip([
    { name: "chat.html", text: "<html></html>" },
    { name: "conversations.json", text: JSON.stringify(talks) },
    { name: "user.json", text: "{}" },
    { name: "file-x.png", text: "no picture", isStored: true },
  ]);
}

export const CLAUDE_FILES: ZipFile[] = [
  {
    name: "conversations.json",
    text: JSON.stringify([
      {
        uuid: "claude-1",
        name: "Bread without kneading",
        created_at: "2025-03-01T07:00:00.000000Z",
        updated_at: "2025-03-01T07:05:00.000000Z",
        account: { uuid: "a" },
        chat_messages: [
          {
            uuid: "k1",
            text: "How long does it rest?",
            content: [{ type: "text", text: "How long does it rest?" }],
            sender: "human",
            created_at: "2025-03-01T07:00:00.000000Z",
            attachments: [{ file_name: "recipe.txt", file_size: 10, file_type: "txt", extracted_content: "flour" }],
            files: [],
          },
          {
            uuid: "k2",
            text: "",
            content: [
              { type: "thinking", thinking: "hm" },
              { type: "text", text: "Eighteen hours at room temperature." },
              { type: "tool_use", name: "x", input: {} },
            ],
            sender: "assistant",
            created_at: "2025-03-01T07:00:20.000000Z",
            attachments: [],
            files: [],
          },
          {
            uuid: "k3",
            text: "An older export has the text alone.",
            sender: "human",
            created_at: "2025-03-01T07:01:00.000000Z",
          },
        ],
      },
      { uuid: "claude-2", broken: true },
    ]),
  },
  {
    name: "memories.json",
    text: JSON.stringify([
      {
        conversations_memory: "**Work context**\n\nBakes on Saturdays.\n\n- Uses rye flour\n- Has a small oven",
        project_memories: { p1: "The oven project measures temperatures." },
        account_uuid: "a",
      },
    ]),
  },
  { name: "projects.json", text: "[]" },
  { name: "users.json", text: "[]" },
];

const job = (id: string, more: object) => ({
  id,
  name: id,
  enabled: true,
  createdAtMs: 1,
  updatedAtMs: 1,
  sessionTarget: "isolated",
  wakeMode: "now",
  payload: { kind: "agentTurn", message: `remind me: ${id}` },
  state: {},
  ...more,
});

/** The files of ~/.openclaw by their paths. */
export const OPENCLAW_FILES: Readonly<Record<string, string>> = {
  "openclaw.json": '{ "gateway": { "auth": { "token": "not-to-be-read" } } }',
  "workspace/MEMORY.md":
    "# Garden\n\n- The well is dry in August\n- [ ] The pump is a Calpeda\n\n## House\n\nThe key hangs\nbehind the door.\n",
  "workspace/memory/2026-02-01.md": "- Ordered seeds\n",
  "workspace/SOUL.md": "You are a lobster.",
  "workspace/USER.md": "- Likes short answers\n",
  "workspace/skills/tide/SKILL.md": "---\nname: tide\ndescription: Tides.\n---\nLook.",
  "cron/jobs.json": JSON.stringify({
    version: 1,
    jobs: [
      job("water", { schedule: { kind: "cron", expr: "0 7 * * *", tz: "Europe/Berlin" } }),
      job("stretch", {
        schedule: { kind: "every", everyMs: 7_200_000 },
        payload: { kind: "systemEvent", text: "remind me: stretch" },
      }),
      job("concert", { schedule: { kind: "at", at: "2036-02-01T16:00:00" } }),
      job("old", { schedule: { kind: "at", at: "2026-02-01T16:00:00Z" } }),
      job("asleep", { enabled: false, schedule: { kind: "every", everyMs: 60_000 } }),
      job("often", { schedule: { kind: "every", everyMs: 1_000 } }),
      job("odd", { schedule: { kind: "cron", expr: "every full moon" } }),
      job("strange", { schedule: { kind: "sunset" } }),
    ],
  }),
  "agents/main/sessions/s-1.jsonl": [
    { type: "session", version: 3, id: "s-1", timestamp: "2026-02-06T07:49:00.000Z" },
    {
      type: "message",
      id: "m1",
      parentId: null,
      timestamp: "2026-02-06T07:49:03.491Z",
      message: { role: "user", content: [{ type: "text", text: "When does the ferry leave?" }] },
    },
    {
      type: "message",
      id: "m2",
      parentId: "m1",
      timestamp: "2026-02-06T07:49:09.000Z",
      message: {
        role: "assistant",
        content: [
          { type: "thinking", thinking: "…" },
          { type: "text", text: "The ferry leaves at twenty past ten." },
        ],
      },
    },
    {
      type: "message",
      id: "m3",
      parentId: "m2",
      timestamp: "2026-02-06T07:50:00.000Z",
      message: { role: "toolResult", content: [{ type: "text", text: "exit 0" }] },
    },
    {
      type: "message",
      id: "m4",
      timestamp: "2026-02-06T08:00:00.000Z",
      message: { role: "assistant", content: "HEARTBEAT_OK" },
    },
  ]
    .map((line) => `${JSON.stringify(line)}\n`)
    .join("")
    .concat('{"type":"mess'),
};
