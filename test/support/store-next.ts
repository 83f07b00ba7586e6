// A blob store in which one file is stored otherwise than the rest: late, or not at all.
import type { BlobStore } from '../../src/platform/blob/blob-store.ts';

type Put = BlobStore['put'];

/** The next file that `deps` stores is stored like this; gives how to undo it. */
export function storeNext(deps: { readonly store: BlobStore }, how: (put: Put) => Put): () => void {
  const { store } = deps;
  let isNext = true;
  const put: Put = async (...given) => {
    const own: Put = (...each) => store.put(...each);
    if (!isNext) return own(...given);
    isNext = false;
    return how(own)(...given);
  };
  const watched = new Proxy(store, {
    get(target, name: keyof BlobStore) {
      const own = target[name];
      return name === 'put' ? put : typeof own === 'function' ? own.bind(target) : own;
    },
  });
  Object.assign(deps, { store: watched });
  return () => void Object.assign(deps, { store });
}
