import { defineConfig } from 'vitest/config'

// Apart from the other tests, since they need the build: npm run test:package.
export default defineConfig({
  test: {
    include: ['test/package/*.package.ts'],
    testTimeout: 240_000,
    hookTimeout: 240_000,
  },
})
