/** One setting: a field of its kind, what it is, where its value comes from, and what is wrong with it. */
import type { SettingValue, SettingView } from "@mimikit/protocol/wire/api";
import { useSignal } from "@preact/signals";
import { useId } from "preact/hooks";
import { descriptionOf, settingWords, unitOf, valueText } from "../../i18n/setting-words.ts";
import { numberText } from "../../i18n/words.ts";
import { CodedText } from "../../ui/coded-text.tsx";

/** The part of JSON Schema that describes settings. */
interface Schema {
  type?: string;
  format?: string;
  enum?: string[];
  items?: Schema;
  additionalProperties?: { properties?: Record<string, unknown> };
  minimum?: number;
  exclusiveMinimum?: number;
  maximum?: number;
  maxLength?: number;
}

interface FieldProps {
  setting: SettingView;
  /** As it is drafted; null where the default counts. */
  value: SettingValue;
  change: (value: SettingValue) => void;
}

/** Of the element that is labelled and described. */
interface ControlProps extends FieldProps {
  schema: Schema;
  attributes: {
    id: string;
    disabled: boolean;
    "aria-describedby": string;
    "aria-invalid": boolean;
  };
}

export function SettingField({
  setting,
  value,
  change,
  problem,
}: FieldProps & { /** In the gateway's words. */ problem: string | undefined }) {
  const id = useId();
  const resets = useSignal(0);
  const schema = setting.schema as Schema;
  const isLocked = setting.source === "environment";
  const Control = controlOf(schema, setting);
  const attributes = {
    id,
    disabled: isLocked,
    "aria-describedby": `${id}-about ${id}-facts${problem === undefined ? "" : ` ${id}-problem`}`,
    "aria-invalid": problem !== undefined,
  };
  return (
    <div class="setting" data-setting={setting.name}>
      <Control
        key={resets.value}
        setting={setting}
        schema={schema}
        value={isLocked ? setting.value : value}
        change={change}
        attributes={attributes}
      />
      {problem !== undefined && (
        <p id={`${id}-problem`} class="field-problem" role="alert">
          {problem}
        </p>
      )}
      <p id={`${id}-about`}>
        <CodedText text={descriptionOf(setting)} />
      </p>
      <p class="setting-facts quiet">
        <span id={`${id}-facts`}>{factsOf(setting, schema).join(" · ")}</span>
        {!isLocked && value !== null && (
          <button
            type="button"
            class="link"
            aria-label={settingWords.useDefaultOf(setting.name)}
            onClick={() => {
              change(null);
              resets.value++;
            }}
          >
            {settingWords.useDefault}
          </button>
        )}
      </p>
    </div>
  );
}

function factsOf(setting: SettingView, { minimum, exclusiveMinimum, maximum }: Schema): string[] {
  const { source, variable = "", default: standard, needsRestart } = setting;
  const unit = unitOf(setting);
  const bounds = minimum === undefined ? settingWords.boundsAbove : settingWords.bounds;
  return [
    ...(unit === undefined ? [] : [unit]),
    ...(maximum === undefined ? [] : [bounds(numberText(minimum ?? exclusiveMinimum ?? 0), numberText(maximum))]),
    settingWords.defaultIs(valueText(standard)),
    ...(source === "file" ? [settingWords.fromFile] : []),
    ...(source === "environment" ? [settingWords.fromVariable(variable)] : []),
    ...(needsRestart ? [settingWords.atRestart] : []),
  ];
}

function controlOf(schema: Schema, setting: SettingView) {
  if (schema.enum !== undefined) return ChoiceField;
  switch (schema.type) {
    case "boolean":
      return setting.default === null ? YesOrNoField : SwitchField;
    case "integer":
    case "number":
      return NumberField;
    case "array":
      return ListField;
    case "object":
      return TableField;
    default:
      return TextField;
  }
}

function Name({ setting: { name }, attributes: { id } }: ControlProps) {
  return (
    <label for={id}>
      <code>{name}</code>
    </label>
  );
}

function NumberField(props: ControlProps) {
  const { setting, schema, value, change, attributes } = props;
  return (
    <>
      <Name {...props} />
      <input
        {...attributes}
        type="number"
        min={schema.minimum ?? schema.exclusiveMinimum}
        max={schema.maximum}
        step={schema.type === "integer" ? 1 : "any"}
        placeholder={setting.default === null ? settingWords.notSet : String(setting.default)}
        // The text that is being typed stays as it is: `0.` is on its way to `0.5`.
        defaultValue={value === null ? "" : String(value)}
        onInput={({ currentTarget: { valueAsNumber } }) => change(Number.isNaN(valueAsNumber) ? null : valueAsNumber)}
      />
    </>
  );
}

function TextField(props: ControlProps) {
  const { setting, schema, value, change, attributes } = props;
  return (
    <>
      <Name {...props} />
      <input
        {...attributes}
        type="text"
        inputMode={schema.format === "uri" ? "url" : "text"}
        class="wide mono"
        spellcheck={false}
        autocomplete="off"
        maxLength={schema.maxLength}
        placeholder={valueText(setting.default)}
        value={value === null ? "" : String(value)}
        onInput={({ currentTarget }) => change(currentTarget.value || null)}
      />
    </>
  );
}

function SwitchField(props: ControlProps) {
  const { setting, value, change, attributes } = props;
  const isOn = (value ?? setting.default) === true;
  return (
    <div class="setting-switch">
      <input
        {...attributes}
        type="checkbox"
        role="switch"
        checked={isOn}
        aria-checked={isOn}
        onInput={({ currentTarget }) => change(currentTarget.checked)}
      />
      <Name {...props} />
    </div>
  );
}

/** Where it is not set, it is found out. */
function YesOrNoField(props: ControlProps) {
  const { value, change } = props;
  return (
    <Options
      {...props}
      options={["true", "false"]}
      textOf={(option) => valueText(option === "true")}
      chosen={value === null ? "" : String(value)}
      choose={(option) => change(option === "" ? null : option === "true")}
    />
  );
}

function ChoiceField(props: ControlProps) {
  const { schema, value, change } = props;
  return (
    <Options
      {...props}
      options={schema.enum ?? []}
      textOf={(option) => option}
      chosen={value === null ? "" : String(value)}
      choose={(option) => change(option || null)}
    />
  );
}

interface OptionsProps extends ControlProps {
  options: readonly string[];
  textOf: (option: string) => string;
  /** Empty where none is. */
  chosen: string;
  choose: (option: string) => void;
}

function Options({ options, textOf, chosen, choose, ...props }: OptionsProps) {
  const { setting, attributes } = props;
  const standard = valueText(setting.default);
  return (
    <>
      <Name {...props} />
      <select {...attributes} value={chosen} onInput={({ currentTarget }) => choose(currentTarget.value)}>
        <option value="">{setting.default === null ? standard : settingWords.defaultIs(standard)}</option>
        {options.map((option) => (
          <option key={option} value={option}>
            {textOf(option)}
          </option>
        ))}
      </select>
    </>
  );
}

/** A line for each entry; those that are empty are none. */
function ListField({ setting, schema, value, change, attributes }: ControlProps) {
  const items = useSignal<readonly string[]>(Array.isArray(value) ? value : []);
  const set = (next: readonly string[]) => {
    const named = (all: readonly string[]) => all.filter((item) => item !== "");
    const isOther = named(next).join("\n") !== named(items.value).join("\n");
    items.value = next;
    if (isOther) change(named(next));
  };
  const { id, disabled, ...described } = attributes;
  const choices = schema.items?.enum;
  return (
    <fieldset id={id} disabled={disabled} {...described}>
      <legend>
        <code>{setting.name}</code>
      </legend>
      {items.value.map((item, at) => {
        const name = settingWords.entry(setting.name, at + 1);
        const onInput = ({ currentTarget }: { currentTarget: { value: string } }) =>
          set(items.value.with(at, currentTarget.value));
        return (
          <div key={at} class="form-row">
            {choices === undefined ? (
              <input
                type="text"
                class="wide mono"
                aria-label={name}
                spellcheck={false}
                maxLength={schema.items?.maxLength}
                value={item}
                onInput={onInput}
              />
            ) : (
              <select aria-label={name} value={item} onInput={onInput}>
                {choices.map((choice) => (
                  <option key={choice}>{choice}</option>
                ))}
              </select>
            )}
            <button
              type="button"
              class="link"
              aria-label={settingWords.removeOf(name)}
              onClick={() => set(items.value.toSpliced(at, 1))}
            >
              {settingWords.remove}
            </button>
          </div>
        );
      })}
      <button
        type="button"
        class="link"
        aria-label={settingWords.addTo(setting.name)}
        onClick={() => set([...items.value, choices?.[0] ?? ""])}
      >
        {settingWords.add}
      </button>
    </fieldset>
  );
}

type Row = readonly [name: string, cells: Readonly<Record<string, number>>];

/** A row for each name; those without a name are none. */
function TableField({ setting, schema, value, change, attributes }: ControlProps) {
  const rows = useSignal(Object.entries(value ?? {}) as readonly Row[]);
  const set = (next: readonly Row[]) => {
    const named = (all: readonly Row[]) => Object.fromEntries(all.filter(([name]) => name !== ""));
    const isOther = JSON.stringify(named(next)) !== JSON.stringify(named(rows.value));
    rows.value = next;
    if (isOther) change(named(next));
  };
  const { id, disabled, ...described } = attributes;
  const columns = Object.keys(schema.additionalProperties?.properties ?? {});
  return (
    <fieldset id={id} disabled={disabled} {...described}>
      <legend>
        <code>{setting.name}</code>
      </legend>
      {rows.value.map(([name, cells], at) => (
        <div key={at} class="form-row">
          <label class="wide">
            {settingWords.model}
            <input
              type="text"
              class="mono"
              spellcheck={false}
              value={name}
              onInput={({ currentTarget }) => set(rows.value.with(at, [currentTarget.value, cells]))}
            />
          </label>
          {columns.map((column) => (
            <label key={column}>
              {settingWords.columns[column] ?? column}
              <input
                type="number"
                min={0}
                step="any"
                required
                defaultValue={String(cells[column] ?? "")}
                onInput={({ currentTarget }) =>
                  set(rows.value.with(at, [name, { ...cells, [column]: currentTarget.valueAsNumber || 0 }]))
                }
              />
            </label>
          ))}
          <button
            type="button"
            class="link"
            aria-label={settingWords.removeOf(name || settingWords.model)}
            onClick={() => set(rows.value.toSpliced(at, 1))}
          >
            {settingWords.remove}
          </button>
        </div>
      ))}
      <button
        type="button"
        class="link"
        aria-label={settingWords.addTo(setting.name)}
        onClick={() => set([...rows.value, ["", Object.fromEntries(columns.map((column) => [column, 0]))]])}
      >
        {settingWords.add}
      </button>
    </fieldset>
  );
}
