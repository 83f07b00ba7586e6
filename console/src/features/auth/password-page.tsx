import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type FormEvent, type ReactNode, useState } from 'react';
import { call } from '../../app/api.ts';
import { meQuery } from '../../app/session.ts';
import { Button } from '../../ui/button.tsx';
import { Field } from '../../ui/field.tsx';
import { ProblemNote } from '../../ui/states.tsx';
import { SignInFrame } from './sign-in-frame.tsx';

const minLength = 12;

export function PasswordPage(): ReactNode {
  const navigate = useNavigate();
  const client = useQueryClient();
  const [current, setCurrent] = useState('');
  const [chosen, setChosen] = useState('');
  const change = useMutation({
    mutationFn: () => call('auth.password', { body: { current, new: chosen } }),
    onSuccess: async (session) => {
      client.setQueryData(meQuery.queryKey, session.me);
      await navigate({ to: '/' });
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    change.mutate();
  };
  const missing = Math.max(0, minLength - chosen.length);
  return (
    <SignInFrame title="Choose your password">
      <form onSubmit={submit} className="flex flex-col gap-4">
        <Field
          label="Current or one-time password"
          type="password"
          autoComplete="current-password"
          required
          autoFocus
          value={current}
          onChange={(e) => setCurrent(e.target.value)}
        />
        <Field
          label="New password"
          type="password"
          autoComplete="new-password"
          required
          minLength={minLength}
          value={chosen}
          onChange={(e) => setChosen(e.target.value)}
          hint={missing > 0 ? `At least ${minLength} characters; ${missing} to go` : 'Long enough'}
        />
        {change.isError && <ProblemNote error={change.error} />}
        <Button type="submit" look="main" busy={change.isPending}>
          Save and continue
        </Button>
      </form>
    </SignInFrame>
  );
}
