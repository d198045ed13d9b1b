/** Marks in a text what was looked for. */
import { piecesOf } from "./found-in.ts";

interface HighlightedProps {
  text: string;
  query: string;
}

export function Highlighted({ text, query }: HighlightedProps) {
  return (
    <>{piecesOf(text, query).map((piece, i) => (piece.isFound ? <mark key={i}>{piece.text}</mark> : piece.text))}</>
  );
}
