/** Where one can go: the sections by icon and name, along the left side or, on a phone, along the bottom. */
import type { ComponentType } from "preact";
import { SECTION_NAMES, sectionOf, sectionTitle, type ViewSection, viewsOf } from "../i18n/view-names.ts";
import { words } from "../i18n/words.ts";
import { addressOf, goHome, place } from "../model/place.ts";
import { isPhone, leaveDrawer } from "../model/screen.ts";
import { openCount, questions } from "../model/state.ts";
import { Book, Bubble, Clock, Dots, List, Pulse, Sliders, Wand } from "../ui/icons.tsx";

/** A thumb's row: the sections after these are behind a button. */
const ON_A_PHONE = 4;
const SHEET_ID = "more";

const ICONS: Record<ViewSection, ComponentType> = {
  chat: Bubble,
  tasks: List,
  schedules: Clock,
  memory: Book,
  skills: Wand,
  activity: Pulse,
  settings: Sliders,
};

export function Rail() {
  const shown = isPhone.value ? SECTION_NAMES.slice(0, ON_A_PHONE) : SECTION_NAMES;
  return (
    <nav class="rail" aria-label={words.sections}>
      <ul>
        {shown.map((section) => (
          <li key={section}>
            <Way section={section} />
          </li>
        ))}
        {isPhone.value && (
          <li>
            <More sections={SECTION_NAMES.slice(ON_A_PHONE)} />
          </li>
        )}
      </ul>
    </nav>
  );
}

function isHere(section: ViewSection): boolean {
  const { view } = place.value;
  return section === (view === undefined ? "chat" : sectionOf(view));
}

/** The number that waits there. */
function countOf(section: ViewSection): number {
  if (section === "chat") return questions.value.size;
  return section === "tasks" ? openCount.value : 0;
}

function Way({ section }: { section: ViewSection }) {
  const Icon = ICONS[section];
  const count = countOf(section);
  const [first] = section === "chat" ? [] : viewsOf(section);
  return (
    <a
      class="way counted"
      href={first === undefined ? location.pathname : addressOf(first)}
      aria-current={isHere(section) ? "page" : undefined}
      onClick={(event) => {
        leaveDrawer();
        document.getElementById(SHEET_ID)?.hidePopover();
        if (first !== undefined || event.ctrlKey || event.metaKey) return;
        // The conversation is the page itself, which must not be loaded again.
        event.preventDefault();
        goHome();
      }}
    >
      <Icon />
      <span>{sectionTitle(section)}</span>
      {count > 0 && <b> {count}</b>}
    </a>
  );
}

function More({ sections }: { sections: readonly ViewSection[] }) {
  return (
    <>
      <button
        type="button"
        class="way"
        popovertarget={SHEET_ID}
        aria-current={sections.some(isHere) ? "page" : undefined}
      >
        <Dots />
        <span>{words.moreSections}</span>
      </button>
      <div id={SHEET_ID} class="sheet more" popover="auto">
        <ul>
          {sections.map((section) => (
            <li key={section}>
              <Way section={section} />
            </li>
          ))}
        </ul>
      </div>
    </>
  );
}
