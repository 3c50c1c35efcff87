// The surface of examples/drawing/tessellation.job.json, which turns: hull and domain shader, displacement and light from
// textures, drawn frame by frame into a canvas. The shaders are assembled in the page, from that example's texts.
import { assemble, cbv, Device, dsv, rtv, sampler, srv, valueOrThrow } from '/heddle/index.js'

const PATCHES = 4
const HEIGHT_TEXELS = 64
const TILE_TEXELS = 128
const SECONDS_OF_A_TURN = 12

const canvas = document.querySelector('canvas')
const text = document.querySelector('p')
const context = canvas.getContext('2d')
const { width, height } = canvas
const device = new Device()

async function shader(name) {
  const response = await fetch(`/drawing/shaders/${name}.asm`)
  return device.createShader(valueOrThrow(assemble(await response.text())))
}

/** Corners of patches on the square from -1 to 1: a position and texture coordinates each. */
function corners() {
  const side = PATCHES + 1
  return Float32Array.from({ length: side * side * 5 }, (_, i) => {
    const n = Math.floor(i / 5)
    const [u, v] = [(n % side) / PATCHES, Math.floor(n / side) / PATCHES]
    return [u * 2 - 1, 0, v * 2 - 1, u, v][i % 5]
  })
}

/** The four corners of each patch, as the domain shader reads them: by u, then by v. */
function indices() {
  const side = PATCHES + 1
  return Uint32Array.from({ length: PATCHES * PATCHES * 4 }, (_, i) => {
    const patch = i >> 2
    return Math.floor(patch / PATCHES) * side + (patch % PATCHES) + [0, 1, side, side + 1][i & 3]
  })
}

/** Hills. */
const heights = () =>
  Float32Array.from({ length: HEIGHT_TEXELS * HEIGHT_TEXELS }, (_, i) => {
    const [x, y] = [(i % HEIGHT_TEXELS) / HEIGHT_TEXELS, Math.floor(i / HEIGHT_TEXELS) / HEIGHT_TEXELS]
    return 0.5 + 0.3 * Math.sin(x * 9) * Math.cos(y * 7) + 0.15 * Math.sin((x + y) * 17)
  })

/** A checkerboard of 8 x 8 tiles. */
function tiles() {
  const texels = new Uint8Array(TILE_TEXELS * TILE_TEXELS * 4)
  for (let i = 0; i < TILE_TEXELS * TILE_TEXELS; i++) {
    const isLight = (((i % TILE_TEXELS) >> 4) + (i >> 11)) % 2 === 0
    texels.set(isLight ? [235, 190, 120, 255] : [70, 95, 130, 255], i * 4)
  }
  return texels
}

const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
const unit = (a) => a.map((x) => x / Math.sqrt(dot(a, a)))

/** The shaders' constants: four rows for positions as row vectors; the eye and how fine; height, texel, finest. */
function camera(angle) {
  const eye = [2.2 * Math.sin(angle), 1.4, 2.2 * Math.cos(angle)]
  const forward = unit(eye.map((x) => -x))
  const right = unit(cross([0, 1, 0], forward))
  const up = cross(forward, right)
  const [near, far, zoom] = [0.1, 10, 1.5]
  const depth = far / (far - near)
  const row = (x, y, z, w) => [x * zoom, y * zoom, z * depth - w * near * depth, z]
  const rows = [0, 1, 2].flatMap((i) => row(right[i], up[i], forward[i], 0))
  const moved = row(-dot(right, eye), -dot(up, eye), -dot(forward, eye), 1)
  return Float32Array.of(...rows, ...moved, ...eye, 10, 0.35, 1 / HEIGHT_TEXELS, 16, 0)
}

function texture(format, size, texels) {
  const made = device.createTexture({ dimension: 'texture2d', format, width: size, height: size, mipLevels: 0 })
  made.write(texels)
  return made
}

const [vertex, hull, domain, pixel] = await Promise.all(['patch.vs', 'patch.hs', 'patch.ds', 'tiles.ps'].map(shader))
const pipeline = device.createPipeline({
  vertex,
  hull,
  domain,
  pixel,
  topology: '4_CONTROL_POINT_PATCHLIST',
  inputLayout: [
    { semanticName: 'POSITION', format: 'R32G32B32_FLOAT', alignedByteOffset: 0 },
    { semanticName: 'TEXCOORD', format: 'R32G32_FLOAT', alignedByteOffset: 12 },
  ],
  rasterizer: { cullMode: 'NONE' },
  // ?precision=exact for what the reference pipeline leaves, bit for bit.
  precision: new URLSearchParams(location.search).get('precision') ?? 'fast',
})
const target = (format) => device.createTexture({ dimension: 'texture2d', format, width, height })
const [picture, depth] = [target('R8G8B8A8_UNORM'), target('D32_FLOAT')]
const [pictureView, depthView] = [rtv(picture), dsv(depth)]
const tileTexture = texture('R8G8B8A8_UNORM', TILE_TEXELS, tiles())
device.generateMips(srv(tileTexture))
const heightView = srv(texture('R32_FLOAT', HEIGHT_TEXELS, heights()))
const heightSampler = sampler({ filter: 'MIN_MAG_LINEAR_MIP_POINT', address: 'CLAMP' })
const ofPixels = { t0: srv(tileTexture), s0: sampler({ filter: 'MIN_MAG_MIP_LINEAR', address: 'WRAP' }) }
const vertexBuffers = [{ buffer: device.createBuffer({ data: corners() }), stride: 20 }]
const indexBuffer = { buffer: device.createBuffer({ data: indices() }), format: 'R32_UINT' }
const image = context.createImageData(width, height)

async function frame(angle) {
  const b0 = cbv(camera(angle))
  device.clear(pictureView, [0.1, 0.12, 0.18, 1])
  device.clearDepthStencil(depthView, { depth: 1 })
  const resources = {
    hull: { b0 },
    domain: { b0, t0: heightView, s0: heightSampler },
    pixel: { b0, ...ofPixels },
    vertexBuffers,
    indexBuffer,
    renderTargets: [pictureView],
    depthStencil: depthView,
  }
  const { diagnostics } = await device.draw(pipeline, resources, { indexCount: PATCHES * PATCHES * 4 })
  image.data.set(picture.read())
  context.putImageData(image, 0, 0)
  return diagnostics
}

/** Milliseconds over which frames are counted. */
const COUNTED_MS = 500
let counted = 0
let since = performance.now()

async function turn(now) {
  const diagnostics = await frame((now / 1000 / SECONDS_OF_A_TURN) * 2 * Math.PI)
  for (const d of diagnostics) console.error(d.message)
  counted++
  const spent = performance.now() - since
  if (spent >= COUNTED_MS) {
    text.textContent = `${width} x ${height}: ${((counted * 1000) / spent).toFixed(1)} frames a second`
    counted = 0
    since = performance.now()
  }
  requestAnimationFrame(turn)
}
requestAnimationFrame(turn)
