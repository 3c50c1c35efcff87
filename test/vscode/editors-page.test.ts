import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'

const read = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')
const page = read('docs/editors.md')
const manifest = JSON.parse(read('apps/vscode/manifest.json'))
const settings = Object.keys(manifest.contributes.configuration.properties)

/** Settings that the page names: whole, or as the list behind the first of a section. */
const named = [...page.matchAll(/`(heddle\.[\w.]+)`((?:, `\w+`)*)/g)].flatMap(([, first, others]) => {
  const section = first!.replace(/\w+$/, '')
  return [first!, ...[...others!.matchAll(/`(\w+)`/g)].map((m) => section + m[1])]
})

describe('the page on editors', () => {
  it('names the settings of the extension, all of them', () => {
    expect(named.filter((n) => settings.includes(n)).sort()).toEqual(settings.sort())
  })

  it('has a launch configuration of properties that the debugger takes', () => {
    const configuration = JSON.parse(/```json\n(\{ "type": "heddle".*)\n/.exec(page)![1]!)
    const [{ type, configurationAttributes }] = manifest.contributes.debuggers
    const known = ['type', 'request', 'name', ...Object.keys(configurationAttributes.launch.properties)]
    expect(configuration.type).toBe(type)
    expect(Object.keys(configuration).filter((k) => !known.includes(k))).toEqual([])
  })

  it('starts the servers by verbs that there are', () => {
    const verbs = [...page.matchAll(/"?heddle"?,? (?:command-args \()?(?:args = )?[[{(]? ?['"]?(dap|lsp)\b/g)].map(
      (m) => m[1],
    )
    expect(new Set(verbs)).toEqual(new Set(['dap', 'lsp']))
  })
})
