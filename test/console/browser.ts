// A real Chromium for the console's walks, one for all files of a process; each person gets a context of their own, with cookies and
// storage of their own. It ends with the process.
import { existsSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';

const screens = fileURLToPath(new URL('./screens/', import.meta.url));
const flags = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

let opened: Promise<Browser> | undefined;

export function openBrowser(): Promise<Browser> {
  opened ??= launch();
  return opened;
}

/** For the end of a test file: nobody stays on a page whose server is gone. */
export async function leaveBrowser(): Promise<void> {
  const browser = await opened;
  await Promise.all((browser?.contexts() ?? []).map((context) => context.close()));
}

async function launch(): Promise<Browser> {
  const executablePath = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium';
  if (!existsSync(executablePath))
    throw new Error(
      `The console's tests need Chromium, and there is none at ${executablePath}. ` +
        'Install it (Debian: apt-get install chromium) or name it in CHROMIUM_PATH.',
    );
  return chromium.launch({ executablePath, args: flags });
}

export interface Person {
  readonly page: Page;
  readonly context: BrowserContext;
  /** What went wrong on the page: script errors, refusals of the content policy, dialogs that should never open. */
  readonly faults: string[];
}

export interface Look {
  readonly width?: number;
  readonly colours?: 'light' | 'dark';
  /** Lets the tests put axe into the page; only for tests that are not about the policy. */
  readonly withoutPolicy?: boolean;
}

/** Someone at a browser on the console at `url`, not signed in yet. */
export async function visit(browser: Browser, url: string, look: Look = {}): Promise<Person> {
  const { width = 1280, colours = 'light', withoutPolicy = false } = look;
  const context = await browser.newContext({
    baseURL: url,
    viewport: { width, height: width > 500 ? 860 : 844 },
    colorScheme: colours,
    bypassCSP: withoutPolicy,
    reducedMotion: 'reduce',
  });
  const page = await context.newPage();
  page.setDefaultTimeout(300_000);
  const faults: string[] = [];
  page.on('pageerror', (error) => faults.push(`script error: ${error.message}`));
  page.on('dialog', (dialog) => {
    faults.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on('console', (message) => {
    if (/content security policy/i.test(message.text())) faults.push(message.text());
  });
  return { page, context, faults };
}

export async function signIn({ page }: Person, email: string, password: string): Promise<void> {
  await page.goto('/login');
  await page.getByLabel('Email').fill(email);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.waitForURL((url) => url.pathname !== '/login');
}

/** For people with a one-time password, who are asked for their own first. */
export async function choosePassword({ page }: Person, oneTime: string, chosen: string): Promise<void> {
  await page.waitForURL('**/settings/password');
  await page.getByLabel('Current or one-time password').fill(oneTime);
  await page.getByLabel('New password').fill(chosen);
  await page.getByRole('button', { name: 'Save and continue' }).click();
  await page.waitForURL((url) => url.pathname === '/');
}

/** Whether pictures of the pages are wanted (SCREENS=1): each takes a quarter of a second, and no test looks at them. */
export const wantsPictures = process.env.SCREENS === '1';

/** A picture for people to look at; not committed, compared with nothing. */
export async function shoot(page: Page, name: string): Promise<void> {
  if (!wantsPictures) return;
  mkdirSync(screens, { recursive: true });
  await page.screenshot({ path: path.join(screens, `${name}.png`) });
}
