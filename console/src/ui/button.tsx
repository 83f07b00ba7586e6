import type { ButtonHTMLAttributes, ReactNode } from 'react';
import { Icon, type IconName } from './icons.tsx';

const looks = {
  main: 'bg-water text-on-water border-transparent hover:bg-water-strong',
  plain: 'bg-raised text-ink border-line-strong hover:bg-sunken',
  quiet: 'bg-transparent text-ink-2 border-transparent hover:bg-sunken hover:text-ink',
  danger: 'bg-raised text-bad border-bad hover:bg-bad-soft',
} as const;

type Props = ButtonHTMLAttributes<HTMLButtonElement> & {
  look?: keyof typeof looks;
  icon?: IconName;
  busy?: boolean;
  small?: boolean;
};

export function buttonClass(look: keyof typeof looks = 'plain', small = false): string {
  const size = small ? 'min-h-6 px-2 text-xs gap-1' : 'min-h-8 px-3 text-sm gap-1.5';
  return `inline-flex items-center justify-center rounded-md border font-medium whitespace-nowrap transition-colors disabled:opacity-55 disabled:cursor-not-allowed ${size} ${looks[look]}`;
}

export function Button({
  look = 'plain',
  icon,
  busy = false,
  small = false,
  children,
  className = '',
  ...rest
}: Props): ReactNode {
  return (
    <button
      type="button"
      {...rest}
      disabled={rest.disabled || busy}
      aria-busy={busy || undefined}
      className={`${buttonClass(look, small)} ${className}`}
    >
      {icon && <Icon name={icon} className={busy ? 'breathing' : ''} />}
      {children}
    </button>
  );
}
