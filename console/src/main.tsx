import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { createQueryClient } from './app/query-client.ts';
import { createConsoleRouter } from './app/router.tsx';
import { applyTheme, readTheme } from './app/theme.ts';
import './styles/main.css';

applyTheme(readTheme());

const queryClient = createQueryClient((to) => {
  if (location.pathname === to) return;
  void router.navigate(to === '/login' ? { to, search: { next: location.pathname + location.search } } : { to });
});
const router = createConsoleRouter(queryClient);
const root = document.getElementById('root');

if (root)
  createRoot(root).render(
    <StrictMode>
      <QueryClientProvider client={queryClient}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </StrictMode>,
  );
