// mandelbrot.dxbc, as fxc compiled it from mandelbrot.hlsl, drawn by the page itself. No bundler: the package's modules
// are served as they are.
import { cbv, Device, uav } from '/heddle/index.js'

const MAX_ITERATIONS = 256

/** The shader's Params: extent, maxIter, pad, origin, step. */
function params(width, height) {
  const view = new DataView(new ArrayBuffer(32))
  ;[width, height, MAX_ITERATIONS].forEach((value, i) => {
    view.setUint32(4 * i, value, true)
  })
  ;[-2.25, -1.25, 3 / width, 2.5 / height].forEach((value, i) => {
    view.setFloat32(16 + 4 * i, value, true)
  })
  return view
}

function draw(canvas, counts) {
  const context = canvas.getContext('2d')
  const image = context.createImageData(canvas.width, canvas.height)
  counts.forEach((count, i) => {
    const inside = count === MAX_ITERATIONS
    image.data.set(inside ? [0, 0, 0, 255] : [count * 3, 64 + count * 8, 160, 255], i * 4)
  })
  context.putImageData(image, 0, 0)
}

const canvas = document.querySelector('canvas')
const { width, height } = canvas
const response = await fetch('mandelbrot.dxbc')
const device = new Device()
const shader = device.createShader(new Uint8Array(await response.arrayBuffer()))
const counts = device.createBuffer({ byteLength: width * height * 4, stride: 4 })
const bindings = { u0: uav(counts), b0: cbv(params(width, height)) }
const groups = [Math.ceil(width / 8), Math.ceil(height / 8), 1]

const begin = performance.now()
const { diagnostics } = await device.dispatch(shader, bindings, groups)
const time = performance.now() - begin
draw(canvas, counts.read())
const messages = diagnostics.map((d) => d.message)
document.querySelector('p').textContent = [`${width} x ${height} pixels in ${time.toFixed(1)} ms`, ...messages].join(
  '; ',
)
device.dispose()
