import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { DropdownMenu } from 'radix-ui';
import type { ReactNode } from 'react';
import { Icon, type IconName } from '../ui/icons.tsx';
import { call } from './api.ts';
import { useMe } from './session.ts';
import { applyTheme, type Theme, themes, useTheme } from './theme.ts';

const icons: Record<Theme, IconName> = { system: 'screen', light: 'sun', dark: 'moon' };
const item =
  'flex cursor-default items-center gap-2 rounded px-2 py-1.5 text-sm outline-none data-[highlighted]:bg-sunken data-[state=checked]:font-medium';

export function AccountMenu(): ReactNode {
  const me = useMe();
  const theme = useTheme();
  const navigate = useNavigate();
  const client = useQueryClient();
  const name = me.name ?? me.email ?? 'Account';
  const signOut = async () => {
    await call('auth.logout').catch(() => undefined);
    await navigate({ to: '/login' });
    client.clear();
  };
  return (
    <DropdownMenu.Root modal={false}>
      <DropdownMenu.Trigger
        aria-label={`Account of ${name}`}
        className="grid size-7 place-items-center rounded-full bg-water-soft text-xs font-semibold text-water-strong"
      >
        {name.slice(0, 1).toUpperCase()}
      </DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content
          align="end"
          sideOffset={6}
          className="z-50 w-60 rounded-lg border border-line-strong bg-raised p-1.5 shadow-xl"
        >
          <div className="px-2 py-1.5 text-xs text-ink-2">
            <p className="truncate font-medium text-ink">{me.email}</p>
            <p>
              {me.role} of {me.tenant.name}
            </p>
          </div>
          <DropdownMenu.Separator className="my-1 h-px bg-line" />
          <DropdownMenu.RadioGroup
            aria-label="Colours"
            value={theme}
            onValueChange={(value) => applyTheme(themes.find((each) => each === value) ?? 'system')}
          >
            {themes.map((each) => (
              <DropdownMenu.RadioItem key={each} value={each} className={item}>
                <Icon name={icons[each]} />
                {each === 'system' ? 'As the system' : each === 'light' ? 'Light' : 'Dark'}
                <DropdownMenu.ItemIndicator className="ml-auto">
                  <Icon name="check" />
                </DropdownMenu.ItemIndicator>
              </DropdownMenu.RadioItem>
            ))}
          </DropdownMenu.RadioGroup>
          <DropdownMenu.Separator className="my-1 h-px bg-line" />
          <DropdownMenu.Item className={item} onSelect={() => void navigate({ to: '/settings/password' })}>
            Change password
          </DropdownMenu.Item>
          <DropdownMenu.Item className={item} onSelect={() => void signOut()}>
            Sign out everywhere
          </DropdownMenu.Item>
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  );
}
