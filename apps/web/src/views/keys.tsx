/** All keyboard shortcuts, on one sheet. */
import { viewWords } from "../i18n/view-words.ts";
import "./keys.css";

const isApple = /^(Mac|iP)/.test(navigator.platform);
const CONTROL = isApple ? "⌘" : "Ctrl";

/** The keys as they are pressed, in the order of the words that explain them. */
const GROUPS = [
  { name: "anywhere", keys: [[CONTROL, "K"], ["?"], ["Tab"]] },
  { name: "composer", keys: [["Enter"], ["Shift", "Enter"], [CONTROL, "Enter"], ["Escape"], ["/"]] },
  { name: "overlays", keys: [["Escape"], ["↑", "↓"], ["Enter"]] },
] as const;

export function Keys() {
  return (
    <div class="keys">
      {GROUPS.map(({ name, keys }) => (
        <section key={name}>
          <h3>{viewWords.keyGroups[name].title}</h3>
          <dl>
            {keys.map((combination, i) => (
              <div key={combination.join()}>
                <dt>
                  {combination.map((key) => (
                    <kbd key={key}>{key}</kbd>
                  ))}
                </dt>
                <dd>{viewWords.keyGroups[name].does[i]}</dd>
              </div>
            ))}
          </dl>
        </section>
      ))}
    </div>
  );
}
