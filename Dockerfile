# Two images: `production` has neither failpoints nor demo secrets, `demonstration` has both.
FROM node:24-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci
COPY . .
RUN node ops/build.mjs && node ops/build.mjs --production

FROM node:24-bookworm-slim AS dependencies
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# Optional dependencies are the embedded database, which has a container of its own here.
RUN npm ci --omit=dev --omit=optional

FROM node:24-bookworm-slim AS base
ENV NODE_ENV=production
WORKDIR /app
COPY package.json ./
COPY --from=dependencies /app/node_modules ./node_modules
COPY migrations ./migrations
COPY docs ./docs
COPY ops/run-built.mjs ./ops/run-built.mjs
# The mock processor's book; a volume that is mounted here keeps this owner.
RUN mkdir /data && chown node:node /data
USER node
CMD ["node", "--enable-source-maps", "dist/apps/payments-api/src/main.js"]

FROM base AS demonstration
COPY --from=build /app/dist-demo ./dist

FROM base AS production
COPY --from=build /app/dist ./dist
