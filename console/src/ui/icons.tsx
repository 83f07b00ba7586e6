// The console's own small glyphs: 16 px, one stroke, drawn in the text's colour. Decorative unless given a label by their owner.
import type { ReactNode } from 'react';

const paths = {
  check: 'M3 8.500 6.500 12 13 4.500',
  cross: 'M4 4l8 8M12 4l-8 8',
  plus: 'M8 3v10M3 8h10',
  drop: 'M8 2v8m0 0 3.500-3.500M8 10 4.500 6.500M2.500 11v2.500h11V11',
  download: 'M8 2v8m0 0 3.500-3.500M8 10 4.500 6.500M2.500 13.500h11',
  upload: 'M8 10V2m0 0L4.500 5.500M8 2l3.500 3.500M2.500 13.500h11',
  replay: 'M3 8a5 5 0 1 0 1.600-3.700M3 2.500v3h3',
  pause: 'M5.500 3.500v9M10.500 3.500v9',
  play: 'M5 3.500v9l7-4.500z',
  stop: 'M4 4h8v8H4z',
  search: 'M7 12A5 5 0 1 0 7 2a5 5 0 0 0 0 10zM10.700 10.700 14 14',
  copy: 'M5.500 5.500V3h7.500v7.500h-2.500M3 5.500h7.500V13H3z',
  warn: 'M8 2.500 14.500 13.500h-13zM8 6.500v3.500M8 11.800v.2',
  clock: 'M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12zM8 4.700V8l2.200 1.600',
  wave: 'M1.500 6.500c2.200-2 4.300-2 6.500 0s4.300 2 6.500 0M1.500 10.500c2.200-2 4.300-2 6.500 0s4.300 2 6.500 0',
  sun: 'M8 10.800a2.800 2.800 0 1 0 0-5.600 2.800 2.800 0 0 0 0 5.600zM8 1.500v1.600M8 12.900v1.600M1.500 8h1.600M12.900 8h1.600M3.400 3.400l1.100 1.100M11.500 11.500l1.100 1.100M3.400 12.600l1.100-1.100M11.500 4.500l1.100-1.100',
  moon: 'M13 9.700A5.700 5.700 0 0 1 6.300 3 5.700 5.700 0 1 0 13 9.700z',
  screen: 'M2 3h12v8H2zM5.500 13.500h5',
  right: 'M6 3.500 10.500 8 6 12.500',
  down: 'M3.500 6 8 10.500 12.500 6',
  file: 'M4 1.800h5L12.500 5v9.200H4zM9 1.800V5h3.500',
  home: 'M2.500 7.500 8 2.800l5.500 4.700v6h-11zM6.500 13.500v-4h3v4',
  list: 'M5.500 4h8M5.500 8h8M5.500 12h8M2.300 4h.4M2.300 8h.4M2.300 12h.4',
  table: 'M2 3h12v10H2zM2 6.500h12M2 10h12M6.500 3v10',
  gauge: 'M2.500 12a6 6 0 1 1 11 0M8 9.500 10.800 6',
  thumb:
    'M2.500 7H5v6.500H2.500zM5 7l2.600-5c1.200 0 1.800.800 1.600 2l-.4 2.200h3.700c.8 0 1.300.7 1.100 1.500l-1.300 4.600c-.2.7-.7 1.200-1.400 1.200H5',
  undo: 'M6 3 2.800 6.200 6 9.400M3 6.200h6.500a3.500 3.500 0 0 1 0 7H6',
} as const;

export type IconName = keyof typeof paths;

export function Icon({ name, className = '' }: { name: IconName; className?: string }): ReactNode {
  return (
    <svg
      viewBox="0 0 16 16"
      className={`inline-block size-4 shrink-0 ${className}`}
      fill="none"
      stroke="currentColor"
      strokeWidth="1.5"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
    >
      <path d={paths[name]} />
    </svg>
  );
}
