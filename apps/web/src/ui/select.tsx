/** One of a few, in a list that opens. */

interface SelectProps<T> {
  name?: string;
  options: readonly T[];
  textOf: (option: T) => string;
  chosen: T;
  onChoose: (option: T) => void;
}

export function Select<T extends string | number>({ name, options, textOf, chosen, onChoose }: SelectProps<T>) {
  return (
    <select
      aria-label={name}
      value={chosen}
      onInput={({ currentTarget }) => onChoose(options[currentTarget.selectedIndex] ?? chosen)}
    >
      {options.map((option) => (
        <option key={option} value={option}>
          {textOf(option)}
        </option>
      ))}
    </select>
  );
}
