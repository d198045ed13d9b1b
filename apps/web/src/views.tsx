/** The views over the conversation, one at a time. The conversation stays as it is beneath them. */
import { useEffect, useRef } from "preact/hooks";
import { place } from "./model/place.ts";
import { lazily } from "./ui/lazily.tsx";
import "./views.css";

const OpenView = lazily(async () => (await import("./open-view.tsx")).OpenView);

/** Shows the view that the address names; Escape leads back to the conversation. */
export function Views() {
  const { view, detail } = place.value;
  const wasOpen = useRef(false);
  useEffect(() => {
    // Whoever closed the view may have led the focus elsewhere; on a touch screen it would open the keyboard.
    const isFree = document.activeElement === document.body && matchMedia("(hover: hover)").matches;
    if (wasOpen.current && view === undefined && isFree) document.getElementById("message")?.focus();
    wasOpen.current = view !== undefined;
  }, [view]);
  return view === undefined ? null : <OpenView key={view} view={view} detail={detail} />;
}
