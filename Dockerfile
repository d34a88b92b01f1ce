# Build: docker build -t startline .
# Run:   docker run -p 8080:8080 -e OPENAI_API_KEY -v ./startline.toml:/etc/startline.toml:ro startline serve --config /etc/startline.toml

FROM rust:1.95-slim-bookworm AS build
WORKDIR /build
COPY Cargo.toml Cargo.lock ./
COPY actors actors
COPY config config
COPY load load
COPY src src
COPY tests/api tests/api
RUN cargo build --release --locked --bin startline

FROM debian:bookworm-slim
# For tls.roots = "platform"; the default roots are built in.
RUN apt-get update \
    && apt-get install --yes --no-install-recommends ca-certificates \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --system --no-create-home startline
COPY --from=build /build/target/release/startline /usr/local/bin/startline
USER startline
ENV STARTLINE__SERVER__LISTEN=0.0.0.0:8080
EXPOSE 8080
ENTRYPOINT ["startline"]
CMD ["serve"]
