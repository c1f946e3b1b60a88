import java.net.InetAddress;
import java.net.InetSocketAddress;
import org.eclipse.jetty.server.Server;
import software.amazon.dynamodb.services.local.server.LocalDynamoDBRequestHandler;
import software.amazon.dynamodb.services.local.server.LocalDynamoDBServerHandler;

/**
 * DynamoDB Local on the loopback address. Its own command line listens on every interface and sends telemetry; this
 * program starts the same request handlers in a web server that does neither.
 *
 * <p>Arguments: port, and optionally a data directory; by default the data stays in memory. Stops when its standard
 * input ends, so that it never outlives its parent process.
 */
public final class DynamoDbLocal {
    public static void main(String[] args) throws Exception {
        int port = Integer.parseInt(args[0]);
        String directory = args.length > 1 ? args[1] : null;
        // One database for all access keys and regions; tables are ACTIVE as soon as they are created.
        var requests = new LocalDynamoDBRequestHandler(0, directory == null, directory, true, false);
        var server = new Server(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
        server.setHandler(new LocalDynamoDBServerHandler(requests, null));
        server.start();
        while (System.in.read() >= 0) {
            continue;
        }
        server.stop();
        requests.shutdown();
        System.exit(0);
    }
}
