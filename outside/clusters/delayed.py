"""A wire with a delay: what is sent to a port goes on to another so much later, and back.

python delayed.py PORT TARGET SECONDS
"""

import asyncio
import contextlib
import sys


async def carry(reader, writer, seconds):
    """As on a long wire, bytes that follow each other closely arrive so too."""
    loop = asyncio.get_running_loop()
    under_way = asyncio.Queue()

    async def deliver():
        while True:
            due, content = await under_way.get()
            await asyncio.sleep(max(0, due - loop.time()))
            if not content:
                writer.close()
                return
            writer.write(content)
            await writer.drain()

    with contextlib.suppress(ConnectionError):
        delivering = asyncio.create_task(deliver())
        content = b"begun"
        while content:
            content = await reader.read(1 << 16)
            under_way.put_nowait((loop.time() + seconds, content))
        await delivering


async def reach(target):
    """The other end, which may not be there yet."""
    while True:
        try:
            return await asyncio.open_connection("127.0.0.1", target)
        except OSError:
            await asyncio.sleep(0.1)


async def main(port, target, seconds):
    async def connected(reader, writer):
        far_reader, far_writer = await reach(target)
        both = (carry(reader, far_writer, seconds), carry(far_reader, writer, seconds))
        await asyncio.gather(*both, return_exceptions=True)

    server = await asyncio.start_server(connected, "127.0.0.1", port)
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3])))
