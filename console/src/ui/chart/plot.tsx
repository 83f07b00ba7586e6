// A thin frame around uPlot: sizes itself to its box, takes its colours from the page's tokens, redraws when they change.
import { type ReactNode, useEffect, useRef } from 'react';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { usePalette } from '../../app/theme.ts';
import { clockTime } from '../relative-time.ts';

export interface PlotSeries {
  readonly label: string;
  readonly token: string;
  readonly scale: 'y' | 'y2';
  readonly stepped?: boolean;
  readonly bars?: boolean;
  /** Single moments, as dots. */
  readonly marks?: boolean;
  readonly fill?: boolean;
  readonly dash?: number[];
}

interface Props {
  readonly label: string;
  readonly height: number;
  /** Seconds since the epoch, rising; one list of values per series. */
  readonly x: readonly number[];
  readonly y: readonly (readonly (number | null)[])[];
  readonly series: readonly PlotSeries[];
  readonly format: (value: number) => string;
}

export function Plot({ label, height, x, y, series, format }: Props): ReactNode {
  const box = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot>(undefined);
  const palette = usePalette();
  const shape = series.map((each) => `${each.label}:${each.token}:${each.scale}`).join('|');

  // biome-ignore lint/correctness/useExhaustiveDependencies: the plot is made again only when its shape or colours change
  useEffect(() => {
    const element = box.current;
    if (!element) return;
    const made = new uPlot(optionsOf(element, height, series, format), dataOf(x, y), element);
    plot.current = made;
    const observer = new ResizeObserver(() => made.setSize({ width: element.clientWidth, height }));
    observer.observe(element);
    return () => {
      observer.disconnect();
      made.destroy();
    };
  }, [palette, shape, height]);

  useEffect(() => plot.current?.setData(dataOf(x, y)), [x, y]);
  return <div ref={box} role="img" aria-label={label} className="w-full min-w-0 overflow-hidden" />;
}

function dataOf(x: Props['x'], y: Props['y']): uPlot.AlignedData {
  return [[...x], ...y.map((values) => [...values])];
}

function optionsOf(
  element: HTMLElement,
  height: number,
  series: readonly PlotSeries[],
  format: (value: number) => string,
): uPlot.Options {
  const colour = (token: string) => resolve(element, token);
  const axis = {
    stroke: colour('--ink-3'),
    font: '11px ui-sans-serif, system-ui',
    grid: { stroke: colour('--line'), width: 1 },
    ticks: { show: false },
  };
  const second = series.some((each) => each.scale === 'y2');
  return {
    width: element.clientWidth,
    height,
    legend: { show: false },
    cursor: { y: false },
    padding: [8, 8, 0, 0],
    scales: {
      x: { time: true, range: series.some((each) => each.bars) ? withMargin : exactly },
      y: { range: fromZero },
      y2: { range: fromZero },
    },
    axes: [
      { ...axis, space: 80, ...(series.some((each) => each.bars) ? {} : { size: 28, values: clockTicks }) },
      { ...axis, scale: 'y', size: 58, values: (_, ticks) => ticks.map(format) },
      ...(second ? [{ ...axis, scale: 'y2', side: 1 as const, size: 48, grid: { show: false } }] : []),
    ],
    series: [
      {},
      ...series.map((each): uPlot.Series => {
        const stroke = colour(each.token);
        const paths = each.marks
          ? () => null
          : each.bars
            ? uPlot.paths.bars?.({ size: [0.7, 40] })
            : each.stepped
              ? uPlot.paths.stepped?.({ align: 1 })
              : undefined;
        return {
          label: each.label,
          scale: each.scale,
          stroke,
          width: 1.75,
          points: each.marks ? { show: true, size: 7, fill: stroke } : { show: false },
          ...(each.dash ? { dash: each.dash } : {}),
          ...(each.fill ? { fill: `color-mix(in srgb, ${stroke} 18%, transparent)` } : {}),
          ...(paths ? { paths } : {}),
        };
      }),
    ],
  };
}

const clockTicks = (_: uPlot, ticks: number[]) => ticks.map((tick) => clockTime(new Date(tick * 1000).toISOString()));
const dayS = 86_400;
const withMargin: uPlot.Range.Function = (_, min, max) => [min - dayS * 0.6, max + dayS * 0.6];
const exactly: uPlot.Range.Function = (_, min, max) => [min, Math.max(max, min + 1)];
const fromZero: uPlot.Range.Function = (_, __, max) => [0, max > 0 ? max * 1.12 : 1];

/** A token may hold light-dark(); only the computed colour of an element is a colour a canvas understands. */
function resolve(element: HTMLElement, token: string): string {
  const probe = document.createElement('span');
  probe.style.color = `var(${token})`;
  element.append(probe);
  const colour = getComputedStyle(probe).color;
  probe.remove();
  return colour;
}
