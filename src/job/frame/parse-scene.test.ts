import { describe, expect, it } from 'vitest'
import { valueOrThrow } from '../../diagnostic/index.ts'
import { parseScene } from './parse-scene.ts'

const texture = (id: string, more: Record<string, unknown>) => ({
  ...{ id, type: 'Texture2D', Format: 'R8G8B8A8_UNORM', Width: 8, Height: 4, BindFlags: ['RENDER_TARGET'] },
  ...{ init: { kind: 'zero' }, ...more },
})

/** Where a resolve goes to and comes from, given the numbers of subresources. */
function resolved(destination: Record<string, unknown>, dst: number, src: number) {
  const frame = valueOrThrow(
    parseScene({
      resources: [
        texture('from', { MipLevels: 1, ArraySize: 3, SampleDesc: { Count: 4, Quality: 0 } }),
        texture('to', { SampleDesc: { Count: 1, Quality: 0 }, ...destination }),
      ],
      pipelines: {},
      commands: [
        {
          ...{ op: 'ResolveSubresource', DstResource: 'to', DstSubresource: dst },
          ...{ SrcResource: 'from', SrcSubresource: src, Format: 'R8G8B8A8_UNORM' },
        },
      ],
    }),
  )
  const [command] = frame.commands
  if (command?.kind !== 'resolve') throw new Error('no resolve')
  const { to, from } = command
  return [to.mip, to.slice, from.mip, from.slice]
}

describe('subresources of frames with Direct3D names', () => {
  // D3D11CalcSubresource: MipSlice + ArraySlice * MipLevels.
  it.each([
    [{ MipLevels: 1, ArraySize: 3 }, 2, 1, [0, 2, 0, 1]],
    [{ MipLevels: 3, ArraySize: 2 }, 2, 0, [2, 0, 0, 0]],
    [{ MipLevels: 3, ArraySize: 2 }, 4, 2, [1, 1, 0, 2]],
    // 8 x 4 texels have four mips: 8, 4, 2, 1.
    [{ MipLevels: 0, ArraySize: 2 }, 7, 0, [3, 1, 0, 0]],
  ] as const)('of %j count the mips of a slice, then those of the next: %i', (destination, dst, src, expected) => {
    expect(resolved(destination, dst, src)).toEqual(expected)
  })
})

describe('resources of frames with Direct3D names', () => {
  const options = (more: Record<string, unknown>) => {
    const parsed = parseScene(
      JSON.parse(JSON.stringify({ resources: [texture('t', more)], pipelines: {}, commands: [] })),
    )
    const [resource] = valueOrThrow(parsed).resources
    return resource?.kind === 'texture' ? resource.options : undefined
  }
  const flags = { Usage: 'D3D11_USAGE_DEFAULT', CPUAccessFlags: [], MiscFlags: [] }

  it('are textures of every dimension', () => {
    const base = { format: 'R8G8B8A8_UNORM', width: 8, mipLevels: 1 }
    const flat = { ...base, height: 4, arraySize: 1, sampleCount: 1 }
    expect(options(flags)).toEqual({ dimension: 'texture2d', ...flat })
    const cube = { Height: 8, MiscFlags: ['TEXTURECUBE'] }
    expect(options(cube)).toEqual({ dimension: 'texturecube', ...flat, height: 8, arraySize: 6 })
    expect(options({ type: 'Texture3D', Depth: 5 })).toEqual({ dimension: 'texture3d', ...base, height: 4, depth: 5 })
    // Without a height: JSON has no undefined.
    const line = { type: 'Texture1D', Height: undefined, ArraySize: 3 }
    expect(options(line)).toEqual({ dimension: 'texture1d', ...base, arraySize: 3 })
  })

  it('have the flags that there are', () => {
    const { diagnostics } = parseScene({
      resources: [texture('t', { Usage: 'FAST', MiscFlags: ['CUBE'] })],
      ...{ pipelines: {}, commands: [] },
    })
    expect(diagnostics.map((d) => d.place?.kind === 'path' && d.place.path)).toEqual([
      '$.resources[0].Usage',
      '$.resources[0].MiscFlags[0]',
    ])
  })
})
