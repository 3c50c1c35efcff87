/** A link that ends a list. */
const END = 0xffffffff

function wordsOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}

function compareWords(a: readonly number[], b: readonly number[]): number {
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return a[i]! - b[i]!
  return 0
}

/**
 * The payloads of each head's list, sorted as unsigned words, so that they do not depend on the order in which threads
 * linked them. A node is its link, then its payload. A sentence where a link leads outside the nodes, or the lists do not end.
 */
export function listWords(heads: Uint8Array, nodes: Uint8Array, stride: number): Uint32Array[] | string {
  const [headView, nodeView] = [wordsOf(heads), wordsOf(nodes)]
  const nodeCount = Math.floor(nodes.length / stride)
  const payload = stride / 4 - 1
  const lists: Uint32Array[] = []
  let used = 0
  for (let h = 0; h < Math.floor(heads.length / 4); h++) {
    const list: number[][] = []
    let link = headView.getUint32(h * 4, true)
    while (link !== END) {
      if (link >= nodeCount) return `the list of head ${h} links to node ${link}; there are ${nodeCount}`
      if (++used > nodeCount)
        return `the lists have more nodes than the ${nodeCount} there are: the one of head ${h} runs into a circle or a shared tail`
      const at = link * stride
      list.push(Array.from({ length: payload }, (_, i) => nodeView.getUint32(at + 4 + i * 4, true)))
      link = nodeView.getUint32(at, true)
    }
    lists.push(Uint32Array.from(list.sort(compareWords).flat()))
  }
  return lists
}
