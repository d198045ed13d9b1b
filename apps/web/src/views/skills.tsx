/** The assistant's skills, and the problems of the folders that are none. */
import type { SkillList } from "@mimikit/protocol/wire/api";
import { Empty } from "../first-run/empty.tsx";
import { firstWords } from "../i18n/first-words.ts";
import { viewWords } from "../i18n/view-words.ts";
import { words } from "../i18n/words.ts";
import { useAnswer } from "../model/use-answer.ts";
import { saveBlob } from "../ui/save-blob.ts";
import "./kept.css";

export function Skills() {
  const { answer, isLooking } = useAnswer<SkillList>("api/skills");
  if (answer === undefined) return isLooking ? <p class="quiet">{words.looking}</p> : null;
  const { skills, problems } = answer;
  return (
    <div class="kept">
      {skills.length > 0 ? (
        <p class="teach">{viewWords.skillsTeach}</p>
      ) : (
        <Empty
          action={firstWords.skillExample}
          does={() => saveBlob(new Blob([firstWords.skillText], { type: "text/markdown" }), "SKILL.md")}
        >
          <p>{viewWords.skillsTeach}</p>
          <p>{firstWords.skillWhere}</p>
        </Empty>
      )}
      <ul class="sheets">
        {skills.map(({ name, description, level, source, path, isHeld, warning }) => (
          <li key={path} class="sheet-row" data-skill={name}>
            <div class="sheet-top">
              <h3>{name}</h3>
              <span class="tag" title={viewWords.skillLevel}>
                {viewWords.levels[level ?? "any"]}
              </span>
              <span class="quiet">{viewWords.skillSources[source]}</span>
            </div>
            <p>{description}</p>
            {isHeld === true && <p class="quiet">{viewWords.skillHeld(name)}</p>}
            {warning !== undefined && <p class="bad">{warning}</p>}
            <p class="quiet mono">{path}</p>
          </li>
        ))}
      </ul>
      {problems.length > 0 && (
        <section>
          <h3>{viewWords.skillProblems}</h3>
          <ul class="sheets">
            {problems.map(({ path, reason }) => (
              <li key={path} class="sheet-row">
                <p class="bad">{reason}</p>
                <p class="quiet mono">{path}</p>
              </li>
            ))}
          </ul>
        </section>
      )}
    </div>
  );
}
