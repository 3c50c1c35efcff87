import { describe, expect, it } from 'vitest'
import { FORMER_CODES } from './former.ts'
import { CODES } from './index.ts'

describe('the registry of codes', () => {
  it.each(Object.entries(CODES))('%s has a name, a title and a source in one style', (code, info) => {
    expect(code).toMatch(/^[a-z]+(?:-[a-z0-9]+)+$/)
    // A capital first, no article before it, no full stop, and short enough for one line of `heddle explain`.
    expect(info.title).toMatch(/^[A-Z]/)
    expect(info.title).not.toMatch(/^(?:An?|The) |\.$/)
    expect(info.title.length).toBeLessThanOrEqual(72)
    expect(info.explanation).toMatch(/[.)]$/)
    expect(info.source ?? '').not.toMatch(/D3D11\.3|specification, |section|chapter/)
  })

  it('answers former names with codes that exist, and uses none of them again', () => {
    expect(Object.values(FORMER_CODES).filter((code) => CODES[code] === undefined)).toEqual([])
    expect(Object.keys(FORMER_CODES).filter((code) => Object.hasOwn(CODES, code))).toEqual([])
  })
})
