/** Elements of the XML that reports are written in: attributes in double quotes, text, no comments and no declarations inside. */

export interface XmlElement {
  readonly name: string
  readonly attributes: Readonly<Record<string, string>>
  readonly children: readonly XmlElement[]
  readonly text: string
}

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

const plainText = (text: string): string => text.replace(/&(\w+);/g, (whole, name) => ENTITIES[name] ?? whole)

/** A tag: its slash, name, attributes, and the slash of an element without content. */
const TAG = /<(\/?)([\w.-]+)((?:\s+[\w.:-]+="[^"<]*")*)\s*(\/?)>/y

interface OpenElement {
  readonly name: string
  readonly attributes: Readonly<Record<string, string>>
  readonly children: XmlElement[]
  text: string
}

const attributesIn = (text: string): Record<string, string> =>
  Object.fromEntries([...text.matchAll(/([\w.:-]+)="([^"]*)"/g)].map(([, name, value]) => [name, plainText(value!)]))

/** The outermost element; undefined where the text is no such XML. */
export function readXml(source: string): XmlElement | undefined {
  const text = source.replace(/^\uFEFF?<\?xml[^>]*\?>/, '').trim()
  const outermost: OpenElement = { name: '', attributes: {}, children: [], text: '' }
  const open = [outermost]
  let at = 0
  while (at < text.length) {
    const inside = open[open.length - 1]!
    if (text[at] !== '<') {
      const end = text.indexOf('<', at)
      if (end < 0) return undefined
      inside.text += plainText(text.slice(at, end))
      at = end
      continue
    }
    TAG.lastIndex = at
    const tag = TAG.exec(text)
    if (tag === null) return undefined
    at = TAG.lastIndex
    const [, closes, name, attributes, isEmpty] = tag
    if (closes === '/') {
      if (open.length === 1 || inside.name !== name) return undefined
      open.pop()
      continue
    }
    const element = { name: name!, attributes: attributesIn(attributes!), children: [], text: '' }
    inside.children.push(element)
    if (isEmpty !== '/') open.push(element)
  }
  return open.length === 1 && outermost.children.length === 1 ? outermost.children[0] : undefined
}
