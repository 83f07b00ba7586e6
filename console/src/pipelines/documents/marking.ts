/** What is pointed at, on the page or in the list, so that the other can mark it. */
export interface Marking {
  /** The chunk that is pointed at. */
  readonly hot: string | undefined;
  readonly onPoint: (chunkId: string | undefined, from: 'page' | 'list') => void;
}
