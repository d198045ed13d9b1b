/** Shows pictures that are here: those that came with a message, by their name, and those of the workspace, by their path. */
import { words } from "../i18n/words.ts";
import { request } from "../model/session.ts";
import { messages, notice } from "../model/state.ts";
import { saveBlob } from "../ui/save-blob.ts";
import { thumbnailOf } from "../ui/thumbnail.ts";
import "./pictures.css";

/** As wide as a reply is, on a screen with two dots for each pixel. */
const SIDE_PX_MAX = 1_440;
/** A Worker finds what came with a message in this folder of its run. */
const COPIES = /^attachments\//;

/** Shows the picture that `place` names in its place, once it comes into sight. A picture that does not exist, or is none, stays a name. */
export function showPicture(place: HTMLElement): void {
  const watch = new IntersectionObserver((entries) => {
    if (!entries.some((entry) => entry.isIntersecting)) return;
    watch.disconnect();
    void show(place);
  });
  watch.observe(place);
}

async function show(place: HTMLElement): Promise<void> {
  const path = place.title;
  const file = await load(path);
  const drawn = file === undefined ? undefined : await thumbnailOf(file, SIDE_PX_MAX);
  if (drawn === undefined) return;
  const picture = document.createElement("img");
  picture.src = drawn;
  picture.alt = place.textContent;
  const name = path.slice(path.lastIndexOf("/") + 1);
  const button = document.createElement("button");
  button.type = "button";
  button.className = "picture";
  button.title = words.saveFile(name);
  button.append(picture);
  // The browser's memory need not hold both.
  button.addEventListener("click", async () => {
    const whole = await load(path);
    if (whole === undefined) notice.value = words.fileGone(name);
    else saveBlob(whole, name);
  });
  place.replaceWith(button);
}

async function load(path: string): Promise<Blob | undefined> {
  const name = path.replace(COPIES, "");
  const sent = messages.value
    .flatMap(({ attachments = [] }) => attachments)
    .findLast((file) => file.type.startsWith("image/") && (file.name === name || file.id === name));
  const address = sent === undefined ? `api/files?${new URLSearchParams({ path })}` : `api/attachments/${sent.id}`;
  const answer = await request("GET", address);
  return answer?.ok ? answer.blob() : undefined;
}
