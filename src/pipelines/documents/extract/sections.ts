// Documents without pages: their blocks cut into numbered sections of a readable length, at headings where there are any. The offsets
// of a section are those of the text of the whole document.
import { type Block, placeBlocks, type ReadPage } from './page.ts';

/** About a printed page. A heading begins a new section once the one before has a third of it. */
const SECTION_CHARS = 3_000;
const MAX_BLOCK_CHARS = 6_000;
const BETWEEN_CHARS = 2;

export function sectionsOf(blocks: readonly Block[]): ReadPage[] {
  const sections: ReadPage[] = [];
  let current: Block[] = [];
  let chars = 0;
  let offset = 0;
  /** Headings at its end stay with what follows them. */
  const close = (isEnd = false) => {
    const last = current.findLastIndex(({ kind }) => kind !== 'heading');
    const kept = isEnd || last === -1 ? current.length : last + 1;
    const [closed, carried] = [current.slice(0, kept), current.slice(kept)];
    current = carried;
    chars = carried.reduce((sum, { text }) => sum + text.length, 0);
    if (closed.length === 0) return;
    const { text, blocks: placed } = placeBlocks(closed);
    const tables = closed.filter(({ kind }) => kind === 'table').length;
    sections.push({
      pageNo: sections.length + 1,
      fate: 'text',
      reason: null,
      width: null,
      height: null,
      text,
      blocks: placed,
      charStart: offset,
      charEnd: offset + text.length,
      ocrConfidence: null,
      garbledShare: 0,
      tables,
      tablesLost: 0,
    });
    offset += text.length + BETWEEN_CHARS;
  };
  for (const block of blocks.flatMap(cutLongBlock)) {
    if (block.text === '') continue;
    const isStart = block.kind === 'heading' && chars > SECTION_CHARS / 3;
    if (isStart || chars + block.text.length > SECTION_CHARS) close();
    current.push(block);
    chars += block.text.length;
  }
  close(true);
  return sections;
}

/** One paragraph of a megabyte is cut at sentences or, failing that, at spaces. */
function cutLongBlock(block: Block): Block[] {
  if (block.text.length <= MAX_BLOCK_CHARS || block.kind === 'table') return [block];
  const parts: Block[] = [];
  let rest = block.text;
  while (rest.length > MAX_BLOCK_CHARS) {
    const window = rest.slice(0, SECTION_CHARS);
    const at = Math.max(window.lastIndexOf('. ') + 1, window.lastIndexOf('\n'), window.lastIndexOf('。') + 1);
    const cut = at > SECTION_CHARS / 3 ? at : Math.max(window.lastIndexOf(' '), 0) || SECTION_CHARS;
    parts.push({ ...block, text: rest.slice(0, cut).trim() });
    rest = rest.slice(cut).trimStart();
  }
  return [...parts, { ...block, text: rest }];
}
