/** `mimikit channels list` */
import { momentText } from "@mimikit/core/schedule/trigger-words";
import { Strangers } from "@mimikit/protocol/channels/records";
import type { FileSystem } from "@mimikit/store/disk/file-system";
import { strangersPath } from "@mimikit/store/disk/state";
import { readChannelStates } from "@mimikit/store/views/channel-states";
import { command } from "../../arguments/command.ts";
import { nameIn, t, told } from "../../i18n/language.ts";
import { withDisk } from "../../instance/state.ts";
import { personZoneHere } from "../../io/person-zone.ts";
import { adoptedHome } from "../../io/place.ts";
import { plainLine, printJson, printLine, printTable, styled } from "../../io/print.ts";
import { livingRoles } from "../../processes/instance.ts";
import { fieldsOf, peopleOf, readIf } from "./channel.ts";

/** Digits of a person's id that are shown, after its `p-`. */
const SHORT_ID_CHARS = 10;

export const listCommand = command({
  usage: "list",
  summary: "the channels, the people who are paired, and strangers who wrote to it",
  examples: [["mimikit channels list", "mimikit channels alone is the same"]],
  async run({ json }) {
    const home = adoptedHome();
    await withDisk(home, (fs) => list(json, home, fs));
  },
});

async function list(json: boolean, home: string, fs: FileSystem): Promise<void> {
  const names = Object.keys(fieldsOf(home));
  const states = await readChannelStates(fs);
  const isUp = livingRoles(home).has("channels");
  const all = await Promise.all(
    names.map(async (name) => ({
      name,
      ...(isUp ? (states[name] ?? { state: "starting" }) : { state: "not running" }),
      people: (await peopleOf(fs, name)).map(({ code: _code, ...person }) => person),
      strangers: (await readIf(fs, Strangers, strangersPath(name))) ?? { count: 0, latest: [] },
    })),
  );
  if (json) return printJson({ channels: all });
  const at = (time: string) => momentText(Date.parse(time), personZoneHere());
  printTable(
    ["name", "state", "paired", "strangers"],
    all.map(({ name, people, strangers, ...state }) => [
      name,
      plainLine(
        "detail" in state && state.detail !== undefined
          ? `${nameIn(state.state)}: ${told(state.detail)}`
          : nameIn(state.state),
      ),
      String(people.length),
      String(strangers.count),
    ]),
    t("no channel is set up:  mimikit channels add telegram"),
  );
  for (const { people, strangers, name } of all) {
    for (const { id, name: who, at: since } of people)
      printLine(
        plainLine(
          `  ${t("{id}  {who}  paired with {name} {at}", { id: id.slice(2, 2 + SHORT_ID_CHARS), who, name, at: at(since) })}`,
        ),
      );
    for (const { name: who, isGroup, count, at: last } of strangers.latest)
      printLine(
        styled(
          "dim",
          plainLine(
            `  ${isGroup ? t("a group at {name}: {who}, {count} times, last {at}", { name, who, count, at: at(last) }) : t("a stranger at {name}: {who}, {count} times, last {at}", { name, who, count, at: at(last) })}`,
          ),
        ),
      );
  }
}
