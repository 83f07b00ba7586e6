import { useMutation, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { type FormEvent, type ReactNode, useState } from 'react';
import { ApiError, call, problemOf } from '../../app/api.ts';
import { meQuery } from '../../app/session.ts';
import { Button } from '../../ui/button.tsx';
import { Field } from '../../ui/field.tsx';
import { isOwnPath } from './own-path.ts';
import { SignInFrame } from './sign-in-frame.tsx';

const route = getRouteApi('/login');

export function SignInPage(): ReactNode {
  const { next } = route.useSearch();
  const navigate = useNavigate();
  const client = useQueryClient();
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const signIn = useMutation({
    mutationFn: () => call('auth.login', { body: { email, password, cookie: true } }),
    onSuccess: async (session) => {
      client.clear();
      client.setQueryData(meQuery.queryKey, session.me);
      if (session.me.must_change_password) await navigate({ to: '/settings/password' });
      else await navigate({ href: isOwnPath(next) ? next : '/' });
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    signIn.mutate();
  };
  return (
    <SignInFrame title="Sign in to Millrace">
      <form onSubmit={submit} className="flex flex-col gap-4">
        <Field
          label="Email"
          type="email"
          autoComplete="username"
          required
          autoFocus
          value={email}
          onChange={(e) => setEmail(e.target.value)}
        />
        <Field
          label="Password"
          type="password"
          autoComplete="current-password"
          required
          value={password}
          onChange={(e) => setPassword(e.target.value)}
        />
        {signIn.isError && <Refusal error={signIn.error} />}
        <Button type="submit" look="main" busy={signIn.isPending}>
          {signIn.isPending ? 'Signing in' : 'Sign in'}
        </Button>
      </form>
      <div className="mt-5 border-t border-line pt-4 text-xs text-ink-2">
        <p className="font-medium text-ink">First time here?</p>
        <p className="mt-1">
          The first start prints an email and a password, once, in the terminal where{' '}
          <code className="figures">npm start</code> runs: the line begins with “sign in”. Colleagues get a one-time
          password from an admin.
        </p>
      </div>
    </SignInFrame>
  );
}

function Refusal({ error }: { error: unknown }): ReactNode {
  const problem = problemOf(error);
  const wait = error instanceof ApiError ? error.retryAfterS : undefined;
  return (
    <p role="alert" className="rounded-md border border-bad bg-bad-soft px-3 py-2 text-sm">
      {problem.detail} {wait ? `Wait ${wait} s before the next attempt.` : problem.next}
    </p>
  );
}
