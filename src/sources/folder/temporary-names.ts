// Names that programs give to files they are still writing, and files that systems leave in folders by themselves.
const temporaryEndings = [
  '.tmp',
  '.temp',
  '.part',
  '.partial',
  '.filepart',
  '.crdownload',
  '.download',
  '.swp',
  '.swx',
  '.lock',
  '.uploading',
  '~',
];
const systemNames = new Set(['thumbs.db', 'desktop.ini', 'icon\r']);

export function isTemporaryName(name: string): boolean {
  const lower = name.toLowerCase();
  return (
    name.startsWith('.') ||
    name.startsWith('~$') ||
    systemNames.has(lower) ||
    temporaryEndings.some((ending) => lower.endsWith(ending))
  );
}
