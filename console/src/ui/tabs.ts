/** The look of a link that is one of several views. */
export const tabClass =
  'border-b-2 border-transparent px-3 py-2 text-sm whitespace-nowrap text-ink-2 hover:text-ink data-[status=active]:border-water data-[status=active]:font-medium data-[status=active]:text-ink';

/** For links that differ only in what they search for: each is the current one only at exactly its address. */
export const exactly = { exact: true, includeSearch: true } as const;
