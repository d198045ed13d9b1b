/** One of a few, side by side. */
import "./choice.css";

interface ChoiceProps<T> {
  name: string;
  options: readonly { value: T; text: string }[];
  chosen: T;
  onChoose: (value: T) => void;
}

export function Choice<T extends string | number>({ name, options, chosen, onChoose }: ChoiceProps<T>) {
  return (
    <fieldset class="choice">
      <legend class="unseen">{name}</legend>
      {options.map(({ value, text }) => (
        <button key={value} type="button" aria-pressed={value === chosen} onClick={() => onChoose(value)}>
          {text}
        </button>
      ))}
    </fieldset>
  );
}
