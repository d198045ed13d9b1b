/** A word as it begins a name: `Teller` for the role `teller`, in every language. */
export function capitalized(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}
