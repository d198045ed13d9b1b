/** Bars of stacked parts, one for each day: plain SVG that fills its place, with every number in a text as well. */
import { viewWords } from "../i18n/view-words.ts";
import { isPhone } from "../model/screen.ts";

const WIDTH = 720;
const HEIGHT = 180;
const TOP = 18;
const BOTTOM = 20;
/** Of a bar and the gap behind it. */
const GAP_SHARE = 0.25;
/** More names than these would run into each other: on a phone they are larger in the drawing. */
const NAMES_MAX = 8;
const NAMES_ON_A_PHONE_MAX = 4;

export interface Bar {
  name: string;
  /** As people read it. */
  text: string;
  parts: readonly { key: string; name: string; amount: number }[];
}

interface BarChartProps {
  title: string;
  bars: readonly Bar[];
  /** An amount for people. */
  textOf: (amount: number) => string;
}

export function BarChart({ title, bars, textOf }: BarChartProps) {
  const most = Math.max(...bars.map(totalOf));
  const step = WIDTH / bars.length;
  const room = HEIGHT - TOP - BOTTOM;
  const everyNth = Math.ceil(bars.length / (isPhone.value ? NAMES_ON_A_PHONE_MAX : NAMES_MAX));
  const legend = bars[0]?.parts.filter(({ key }) => bars.some((bar) => amountIn(bar, key) > 0)) ?? [];
  return (
    <figure class="chart">
      <figcaption>
        {title}
        {legend.map(({ key, name }) => (
          <span key={key} class="legend" data-part={key}>
            {name}
          </span>
        ))}
      </figcaption>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={`${title}: ${spoken(bars, textOf)}`}>
        <line class="grid" x1="0" x2={WIDTH} y1={TOP} y2={TOP} />
        <line class="grid" x1="0" x2={WIDTH} y1={HEIGHT - BOTTOM} y2={HEIGHT - BOTTOM} />
        <text class="scale" x="0" y={TOP - 5}>
          {textOf(most)}
        </text>
        {bars.map((bar, i) => (
          <g key={bar.name} data-bar={bar.name}>
            <title>{viewWords.dayBar(bar.text, textOf(totalOf(bar)))}</title>
            <rect class="hover" x={i * step} y={TOP} width={step} height={room} />
            {stacked(bar, room / Math.max(most, Number.MIN_VALUE)).map(({ key, y, height }) => (
              <rect
                key={key}
                class="part"
                data-part={key}
                x={(i + GAP_SHARE / 2) * step}
                y={y}
                width={step * (1 - GAP_SHARE)}
                height={height}
              />
            ))}
            {(bars.length - 1 - i) % everyNth === 0 && (
              <text
                class="name"
                data-last={i === bars.length - 1}
                x={i === bars.length - 1 ? WIDTH : (i + 0.5) * step}
                y={HEIGHT - 5}
              >
                {bar.text}
              </text>
            )}
          </g>
        ))}
      </svg>
    </figure>
  );
}

/** The parts from the ground up. @param scale pixels for one. */
function stacked(bar: Bar, scale: number): { key: string; y: number; height: number }[] {
  let y = HEIGHT - BOTTOM;
  return bar.parts.flatMap(({ key, amount }) => {
    if (amount === 0) return [];
    const height = amount * scale;
    y -= height;
    return [{ key, y, height }];
  });
}

function totalOf({ parts }: Bar): number {
  return parts.reduce((sum, { amount }) => sum + amount, 0);
}

function amountIn({ parts }: Bar, key: string): number {
  return parts.find((part) => part.key === key)?.amount ?? 0;
}

/** The text for screen readers: the days with an amount. */
function spoken(bars: readonly Bar[], textOf: (amount: number) => string): string {
  const days = bars.filter((bar) => totalOf(bar) > 0);
  return days.map((bar) => viewWords.dayBar(bar.text, textOf(totalOf(bar)))).join(", ");
}
